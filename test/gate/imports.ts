import { posix } from 'node:path';
import type { Source, Violation } from './sources.ts';
import { isTest, withoutComments } from './sources.ts';

/** What a file may import, by the first pattern that matches its path; types count like values. */
interface Layer {
  readonly name: string;
  readonly files: RegExp;
  /** Paths inside the repository that may be imported, besides the file's own folder. */
  readonly inside: readonly RegExp[];
  /** Packages of the registry and `node:` modules. */
  readonly outside: RegExp;
}

const CORE = /^core\/src\//;
const POLICY = /^policy\/src\//;
const VERIFIER = /^verifier\/src\//;
const FLOW_SHARED = /^operator\/src\/flow\/((stage|event-loop-turns|transaction-budget)\.ts|[a-z]+-log\/)/;
/** What a stage is made of beside its folder: each belongs to the stages named here and to no other. */
const STAGE_PARTS: readonly (readonly [stage: RegExp, parts: RegExp])[] = [
  [/^operator\/src\/flow\/4-investigate\//, /^operator\/src\/investigate\//],
  [/^operator\/src\/flow\/[678]-\w+\//, /^operator\/src\/(act|switches)\//],
];
const ANY_PACKAGE = /./;
const NO_PACKAGE = /^zod$/;
/** Zone arithmetic is pure and easily got wrong, so the one place that needs it takes a maintained library. */
const ZONES_TOO = /^(zod|temporal-polyfill)$/;

const LAYERS: readonly Layer[] = [
  { name: 'core', files: CORE, inside: [CORE], outside: NO_PACKAGE },
  { name: 'policy', files: POLICY, inside: [CORE, POLICY], outside: ZONES_TOO },
  { name: 'verifier', files: VERIFIER, inside: [CORE, VERIFIER], outside: NO_PACKAGE },
  {
    name: 'flow stage',
    files: /^operator\/src\/flow\//,
    inside: [CORE, POLICY, VERIFIER, FLOW_SHARED],
    outside: /^(zod|node:crypto)$/,
  },
  {
    name: 'adapter',
    files: /^operator\/src\/adapters\//,
    inside: [CORE, /^operator\/src\/(adapters|http)\//, /^prisma\//],
    outside: ANY_PACKAGE,
  },
  {
    name: 'HTTP client',
    files: /^operator\/src\/http\//,
    inside: [CORE, /^operator\/src\/http\//],
    outside: /^(undici|node:(net|stream|tls))$/,
  },
  {
    name: 'investigation',
    files: /^operator\/src\/investigate\//,
    inside: [CORE, FLOW_SHARED, /^operator\/src\/investigate\//],
    outside: /^(zod|node:crypto|node:zlib|re2js)$/,
  },
  {
    name: 'command',
    files: /^operator\/src\/commands\//,
    inside: [
      CORE,
      POLICY,
      VERIFIER,
      FLOW_SHARED,
      /^operator\/src\/(commands|act|switches)\//,
      /^operator\/src\/flow\/6-admit\//,
    ],
    outside: /^(zod|node:crypto)$/,
  },
];

/** Files that put the parts together, and so may see both sides. */
const COMPOSITION = /^operator\/src\/(main\.ts|main-|wiring\/|cli\/|demo\/|boot\/)/;

/** The only places that may hold the handle which changes a cluster. */
const WRITER_HOLDERS = /^operator\/src\/(adapters\/kube\/|act\/|main\.ts|wiring\/|flow\/7-act\/|flow\/6-admit\/)/;

const IMPORT =
  /(?:^|[\n;])\s*(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Every module a file names, as paths of the repository or bare package names. */
export function importsOf(source: Source): readonly string[] {
  return [...withoutComments(source.text).matchAll(IMPORT)].map((match) =>
    resolve(source.path, match[1] ?? match[2] ?? ''),
  );
}

function resolve(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier));
  const own = /^@hephaisto\/(core|policy|verifier|operator|test)\/(.+)$/.exec(specifier);
  if (own) return `${own[1]}/src/${own[2]}.ts`;
  const parts = specifier.split('/');
  return specifier.startsWith('@')
    ? parts.slice(0, 2).join('/')
    : specifier.startsWith('node:')
      ? specifier
      : (parts[0] ?? specifier);
}

const isInside = (module: string) => /^(core|policy|verifier|operator|test|prisma)\//.test(module);

/** Imports that point against the flow of data. */
export function judgeImports(sources: readonly Source[]): readonly Violation[] {
  return sources
    .filter((source) => !isTest(source.path))
    .flatMap((source) => [...judgeLayer(source), ...judgeWriter(source), ...judgeTestImport(source)]);
}

function judgeLayer(source: Source): Violation[] {
  const layer = LAYERS.find((candidate) => candidate.files.test(source.path));
  if (layer === undefined) return [];
  return importsOf(source)
    .filter((module) => !allowed(layer, source.path, module))
    .map((module) => ({
      path: source.path,
      rule: 'import-direction',
      message: `${layer.name} code may not import \`${module}\``,
    }));
}

function allowed(layer: Layer, path: string, module: string): boolean {
  if (!isInside(module)) return layer.outside.test(module);
  const stage = /^operator\/src\/flow\/\d[^/]*\//.exec(path)?.[0];
  if (stage !== undefined && module.startsWith(stage)) return true;
  if (FLOW_SHARED.test(path) && FLOW_SHARED.test(module)) return true;
  if (STAGE_PARTS.some(([of, parts]) => of.test(path) && parts.test(module))) return true;
  return layer.inside.some((pattern) => pattern.test(module));
}

function judgeWriter(source: Source): Violation[] {
  if (COMPOSITION.test(source.path) || WRITER_HOLDERS.test(source.path)) return [];
  const usesWriter = /\bKubeWriter\b/.test(withoutComments(source.text)) && source.path !== 'core/src/ports/kube.ts';
  return usesWriter
    ? [
        {
          path: source.path,
          rule: 'writer-handle',
          message: 'only the executor and its adapter may hold the handle that changes a cluster',
        },
      ]
    : [];
}

function judgeTestImport(source: Source): Violation[] {
  return importsOf(source)
    .filter((module) => module.startsWith('test/') && !source.path.startsWith('test/'))
    .map((module) => ({
      path: source.path,
      rule: 'test-import',
      message: `shipped code may not import \`${module}\``,
    }));
}

/** Modules reachable from the given files by any chain of imports, types included. */
export function reachable(sources: readonly Source[], from: RegExp): ReadonlySet<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const seen = new Set<string>();
  const queue = sources.filter((source) => from.test(source.path) && !isTest(source.path)).map((source) => source.path);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const source = byPath.get(path);
    if (source !== undefined) queue.push(...importsOf(source).filter((module) => byPath.has(module)));
  }
  return seen;
}

/** Import cycles among the repository's own files, types counted; each is reported once, from its smallest path. */
export function findCycles(sources: readonly Source[]): readonly Violation[] {
  const shipped = sources.filter((source) => !isTest(source.path));
  const edges = new Map(shipped.map((source) => [source.path, importsOf(source).filter(isInside)]));
  const found = new Map<string, Violation>();
  const done = new Set<string>();
  const stack: string[] = [];
  function visit(path: string): void {
    const at = stack.indexOf(path);
    if (at >= 0) {
      const cycle = stack.slice(at);
      const key = [...cycle].sort().join(' ');
      found.set(key, {
        path: [...cycle].sort()[0] ?? path,
        rule: 'import-cycle',
        message: [...cycle, path].join(' → '),
      });
      return;
    }
    if (done.has(path)) return;
    stack.push(path);
    for (const next of edges.get(path) ?? []) visit(next);
    stack.pop();
    done.add(path);
  }
  for (const path of edges.keys()) visit(path);
  return [...found.values()];
}
