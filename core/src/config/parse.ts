import { contradictions } from './contradictions.ts';
import { overlayEnvironment } from './environment.ts';
import { type ConfigProblem, describeIssues } from './problem.ts';
import { type Config, configSchema } from './schema.ts';

export type ParsedConfig =
  | { readonly kind: 'ok'; readonly config: Config }
  | { readonly kind: 'refused'; readonly reason: 'configuration-invalid'; readonly problems: readonly ConfigProblem[] };

/**
 * The configuration from what a file holds (already parsed; nothing or null for an empty one) and the environment laid over it.
 * Refuses unknown options, wrong types and contradictions, all of them at once.
 */
export function parseConfig(file: unknown, env: Readonly<Record<string, string | undefined>>): ParsedConfig {
  if (file !== undefined && file !== null && (typeof file !== 'object' || Array.isArray(file)))
    return refused([{ path: '', message: 'expected options by name, found something else' }]);
  const overlay = overlayEnvironment(file, env);
  const parsed = configSchema.safeParse(overlay.raw);
  if (!parsed.success) return refused([...overlay.problems, ...describeIssues(parsed.error.issues, overlay.raw)]);
  const problems = [...overlay.problems, ...contradictions(parsed.data)];
  return problems.length === 0 ? { kind: 'ok', config: parsed.data } : refused(problems);
}

function refused(problems: readonly ConfigProblem[]): ParsedConfig {
  return { kind: 'refused', reason: 'configuration-invalid', problems };
}
