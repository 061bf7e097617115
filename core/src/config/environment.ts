import { type ConfigOption, configOptions } from './options.ts';
import type { ConfigProblem } from './problem.ts';

/** Variables of ours that are not options of the configuration but the command line's. */
export const OTHER_VARIABLES = ['HEPHAISTO_SERVER', 'HEPHAISTO_TOKEN', 'HEPHAISTO_CONFIG'] as const;
const OTHER_PREFIXES = ['HEPHAISTO_TEST_', 'HEPHAISTO_SERVICE_', 'HEPHAISTO_PORT'];

export interface Overlay {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Lays the environment over what the file says; the environment wins. A variable of our prefix that sets nothing is a problem, since a
 * misspelt name would otherwise be obeyed by silence. Kubernetes' own service variables are let pass.
 */
export function overlayEnvironment(file: unknown, env: Readonly<Record<string, string | undefined>>): Overlay {
  const raw = structuredCloneOfTree(file);
  const problems: ConfigProblem[] = [];
  const ours = Object.entries(env).filter(([name]) => name.startsWith('HEPHAISTO_'));
  // To list all options is dear, and most processes are told nothing by their environment.
  const options = new Map(ours.length === 0 ? [] : configOptions().map((option) => [option.env, option]));
  for (const [name, text] of ours) {
    if (text === undefined || text === '') continue;
    const option = options.get(name);
    if (option !== undefined) {
      const value = read(option, text);
      if (value.kind === 'refused') problems.push({ path: name, message: value.message });
      else set(raw, option.path.split('.'), value.value);
    } else if (!isOther(name)) {
      problems.push({
        path: name,
        message: 'expected a variable that sets an option, found one that sets nothing; check its spelling',
      });
    }
  }
  const otlp = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (otlp !== undefined && otlp !== '' && env.HEPHAISTO_TELEMETRY_OTLP_ENDPOINT === undefined)
    set(raw, ['telemetry', 'otlpEndpoint'], otlp);
  return { raw, problems };
}

function isOther(name: string): boolean {
  return (
    (OTHER_VARIABLES as readonly string[]).includes(name) || OTHER_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

type Read = { readonly kind: 'ok'; readonly value: unknown } | { readonly kind: 'refused'; readonly message: string };

function read(option: ConfigOption, text: string): Read {
  switch (option.type) {
    case 'string':
      return { kind: 'ok', value: text };
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text)
        ? { kind: 'ok', value: Number(text) }
        : { kind: 'refused', message: `expected a number, found \`${text}\`` };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { kind: 'ok', value: text === 'true' }
        : { kind: 'refused', message: `expected \`true\` or \`false\`, found \`${text}\`` };
    case 'strings':
      return {
        kind: 'ok',
        value: text
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
      };
    case 'json':
      return readJson(text);
  }
}

function readJson(text: string): Read {
  try {
    return { kind: 'ok', value: JSON.parse(text) as unknown };
  } catch {
    return { kind: 'refused', message: 'expected JSON, found text that is none' };
  }
}

type Tree = Record<string, unknown>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function structuredCloneOfTree(value: unknown): Tree {
  if (!isTree(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, isTree(child) ? structuredCloneOfTree(child) : child]),
  );
}

function set(tree: Tree, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    tree[key] = value;
    return;
  }
  const child = tree[key];
  const next = isTree(child) ? child : {};
  tree[key] = next;
  set(next, rest, value);
}
