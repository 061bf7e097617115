import {
  LINE_FAULT_POINTS,
  MODEL_FAULT_POINTS,
  RARE_FAULT_POINTS,
  REMOVAL_FAULT_POINTS,
} from '@hephaisto/core/ports/fault-point-names';
import type { Source, Violation } from './sources.ts';
import { isTest, withoutComments } from './sources.ts';

const LINE = /^operator\/src\/(flow|act|commands|sources|notify|investigate)\//;
const SHIPPED = /^operator\/src\//;

/** Where a commit needs no point of its own, and why. */
const EXEMPT: Readonly<Record<string, string>> = {
  'operator/src/act/commit.ts': 'the transaction that every caller of `commit` is held to',
  'operator/src/act/budgets.ts': 'written at boot, whose own points stand in main',
  'operator/src/sources/cluster/cluster-id.ts': 'written at boot, whose own points stand in main',
  'operator/src/flow/attempt-log/attempts.ts':
    'it counts the owners that die, and a death right behind it is one of them',
  'operator/src/flow/9-report/incident-report.ts': 'a transaction that only reads',
};

/** A commit: a transaction, the wrapper around one, or a writing statement that is sent on the database itself. */
const COMMIT =
  /(?<![.\w])(?:(?:\w+\.)*db\.transaction|commit(?=\(deps,)|(?:\w+\.)*db\.(?:execute|query))(?:<[^(]*>)?\(/g;
const WRITES = /\b(INSERT INTO|DELETE FROM|(?<!FOR (?:NO KEY )?)UPDATE)\b/;
const ON_THE_DATABASE = /(?<![.\w])(\w+)(?:<[^(]*>)?\((?:\w+\.)*db\b(?!:)/g;
const HIT = /faults\.hit\(([^;]*?)\);/g;
const NEXT_IS_HIT = /^[;)\s]*(?:await |void )?(?:\w+\.)*faults\.hit\(/;

/** Holds that behind each commit of the line stands a named point, and that names and places are one to one. */
export function judgeFaultPoints(
  sources: readonly Source[],
  points: readonly string[] = [
    ...LINE_FAULT_POINTS,
    ...MODEL_FAULT_POINTS,
    ...REMOVAL_FAULT_POINTS,
    ...RARE_FAULT_POINTS,
  ],
): readonly Violation[] {
  const shipped = sources
    .filter(({ path }) => SHIPPED.test(path) && !isTest(path))
    .map(({ path, text }) => ({ path, text: withoutComments(text) }));
  const line = shipped.filter(({ path }) => LINE.test(path) && EXEMPT[path] === undefined);
  const writers = new Set(line.flatMap(({ text }) => writersIn(text)));
  return [
    ...line.flatMap((source) => [...judgeCommits(source), ...judgeCalls(source, writers)]),
    ...judgeNames(shipped, points),
    ...shipped.filter(({ text }) => /\bhit(?:\(point|: \()/.test(text)).map(armed),
  ];
}

function judgeCommits({ path, text }: Source): Violation[] {
  return [...text.matchAll(COMMIT)].flatMap((match) => {
    const end = endOfCall(text, match.index + match[0].length);
    const statement = text.slice(match.index, end);
    const plain = /db\.(?:execute|query)/.test(match[0]);
    if (/^(async )?function /.test(text.slice(text.lastIndexOf('\n', match.index) + 1, match.index))) return [];
    if ((plain && !WRITES.test(statement)) || NEXT_IS_HIT.test(text.slice(end))) return [];
    return [missing(path, statement)];
  });
}

/** A function that writes on whatever it is given, given the database itself, commits. */
function judgeCalls({ path, text }: Source, writers: ReadonlySet<string>): Violation[] {
  return [...text.matchAll(ON_THE_DATABASE)].flatMap((match) => {
    if (!writers.has(match[1] ?? '')) return [];
    const end = endOfCall(text, text.indexOf('(', match.index) + 1);
    return NEXT_IS_HIT.test(text.slice(end)) ? [] : [missing(path, text.slice(match.index, end))];
  });
}

function missing(path: string, statement: string): Violation {
  return {
    path,
    rule: 'commit-without-fault-point',
    message: `expected \`await …faults.hit(…)\` right behind \`${statement.replaceAll(/\s+/g, ' ').slice(0, 80)}\`, found none`,
  };
}

function armed({ path }: Source): Violation {
  return { path, rule: 'armed-fault-point', message: 'what happens at a fault point is said by tests alone' };
}

/** Functions whose text sends a writing statement on a parameter of theirs. */
function writersIn(text: string): readonly string[] {
  return text
    .split(/^(?=(?:export )?(?:async )?function )/m)
    .filter(
      (part) => /(?:tx|sql|db)\.(?:execute|query)/.test(part) && WRITES.test(part) && !part.includes('faults.hit('),
    )
    .flatMap((part) => /^(?:export )?(?:async )?function (\w+)/.exec(part)?.[1] ?? []);
}

/** Behind the closing bracket of a call, and of what is chained to it. */
function endOfCall(text: string, open: number): number {
  let depth = 1;
  let at = open;
  for (; at < text.length && depth > 0; at += 1) {
    const sign = text[at];
    if (sign === '(' || sign === '{' || sign === '[') depth += 1;
    if (sign === ')' || sign === '}' || sign === ']') depth -= 1;
    if (sign === "'" || sign === '`' || sign === '"') at = endOfString(text, at);
  }
  const chained = /^\s*\.(?:catch|then)\(/.exec(text.slice(at));
  return chained === null ? at : endOfCall(text, at + chained[0].length);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === text[start]) return at;
  }
  return text.length;
}

function judgeNames(sources: readonly Source[], points: readonly string[]): Violation[] {
  const places = sources.flatMap(({ path, text }) =>
    [...text.matchAll(HIT)].flatMap((match) => namesOf(match[1] ?? '', points).map((name) => ({ path, name }))),
  );
  const unknown = places.filter(({ name }) => !points.includes(name));
  const counted = points.map((name) => ({ name, at: places.filter((place) => place.name === name) }));
  return [
    ...unknown.map(({ path, name }) => ({
      path,
      rule: 'unknown-fault-point',
      message: `expected a point that core/src/ports/fault-point-names lists, found ${name}`,
    })),
    ...counted
      .filter(({ at }) => at.length !== 1)
      .map(({ name, at }) => ({
        path: at[0]?.path ?? 'core/src/ports/fault-point-names.ts',
        rule: at.length === 0 ? 'fault-point-without-place' : 'fault-point-twice',
        message: `expected \`${name}\` in one place, found it in ${at.length}`,
      })),
  ];
}

/** The names that an argument can be: literals, or those of the list that a template can become. */
function namesOf(argument: string, points: readonly string[]): readonly string[] {
  const template = /`([^`]*)`/.exec(argument)?.[1];
  if (template === undefined) return [...argument.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '');
  const pattern = new RegExp(`^${template.replaceAll(/\$\{[^}]*\}/g, TEMPLATE_PART)}$`);
  const matching = points.filter((point) => pattern.test(point));
  return matching.length > 0 ? matching : [template];
}

/** What stands for a part of a name: a stage, or one of the ways in which an incident ends by itself. */
const TEMPLATE_PART = '(?:admit|act|parent-over|quiet|no-signal)';
