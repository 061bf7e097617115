import type { Source, Violation } from './sources.ts';
import { isTest, withoutComments } from './sources.ts';

const PURE = /^(core|policy|verifier)\/src\//;
/** Ports describe the outside world, and probes read it. */
const PURE_EXCEPT = /^(core\/src\/ports\/|verifier\/src\/probes?\/|core\/src\/investigation\/)/;

/** Where a process may look at its surroundings: the adapters, the command line, the demo's pace, and a browser's page. */
const CLOCK_PLACES = /^operator\/(src\/(adapters\/|http\/|demo\/|cli\/)|console\/)/;
const ENVIRONMENT_PLACES = /^operator\/src\/(cli\/|adapters\/environment|demo\/(main|environment))/;

interface Ban {
  readonly rule: string;
  readonly pattern: RegExp;
  readonly where: (path: string) => boolean;
  readonly message: string;
}

const isPure = (path: string) => PURE.test(path) && !PURE_EXCEPT.test(path);

const BANS: readonly Ban[] = [
  {
    rule: 'pure-async',
    pattern: /\basync\b|\bawait\b/,
    where: isPure,
    message: 'a decision never waits; gather first, then decide',
  },
  {
    rule: 'clock',
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bTemporal\.Now\b/,
    where: (path) => !CLOCK_PLACES.test(path),
    message: 'time is a parameter; take a Clock',
  },
  {
    rule: 'randomness',
    pattern: /\bMath\.random\(|\brandomUUID\(/,
    where: (path) => !CLOCK_PLACES.test(path),
    message: 'randomness is a parameter; take Ids',
  },
  {
    rule: 'timer',
    pattern: /(?<![.\w])set(Timeout|Interval|Immediate)\(/,
    where: (path) => !CLOCK_PLACES.test(path),
    message: 'delays are a parameter; take Timers',
  },
  {
    rule: 'environment',
    pattern: /\bprocess\.env\b/,
    where: (path) => !ENVIRONMENT_PLACES.test(path),
    message: 'the environment is read once, where configuration is parsed',
  },
  {
    rule: 'base-path',
    // Only a module's own address, and a literal, may be a base: anything else may have a path of its own, which the two-part form drops.
    pattern: /\bnew URL\((?!['"`]\.)(?:[^(),]|\([^()]*\))+,\s*(?!import\.meta\.url|['"`]https?:)[^)\s]/,
    where: () => true,
    message: 'a base address keeps its path prefix; take joinBasePath',
  },
];

/** Words that hide what a file is for. */
const DRAWER = /(^|\/)(utils?|helpers?|managers?|services?|misc|common)(\.|\/|-[^/]*$)/;
const DRAWER_ALLOWED = /^core\/src\/principal\/service\.ts$/;

/** Shape rules of a path and its text that a formatter does not know. */
export function judgePurity(sources: readonly Source[]): readonly Violation[] {
  return sources
    .filter((source) => !isTest(source.path))
    .flatMap((source) => [...judgeBans(source), ...judgeName(source), ...judgeLength(source)]);
}

function judgeBans(source: Source): Violation[] {
  const code = withoutComments(source.text);
  return BANS.filter((ban) => ban.where(source.path) && ban.pattern.test(code)).map((ban) => ({
    path: source.path,
    rule: ban.rule,
    message: ban.message,
  }));
}

function judgeName(source: Source): Violation[] {
  const found: Violation[] = [];
  const path = source.path.replaceAll(/\.(it\.)?(test\.)?tsx?$/g, '');
  if (DRAWER.test(`${path}.`) && !DRAWER_ALLOWED.test(source.path))
    found.push({ path: source.path, rule: 'name', message: 'name a file by its subject, not as a drawer' });
  if (!/^[a-z0-9./-]+$/.test(path.replace('operator/src/demo/', '')))
    found.push({ path: source.path, rule: 'name', message: 'file names are kebab-case' });
  return found;
}

function judgeLength(source: Source): Violation[] {
  const lines = source.text.split('\n').length;
  return lines > 400
    ? [{ path: source.path, rule: 'length', message: `expected at most 400 lines, found ${lines}; split by question` }]
    : [];
}
