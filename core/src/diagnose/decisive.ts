import { ordersIn } from '../evidence/taint.ts';
import { parseMemoryBytes } from '../facts/quantity.ts';
import type { EvidenceClaim, FieldChange } from '../finding/finding.ts';
import { quoteLine } from './quote.ts';
import type { Symptom, Trouble } from './trouble.ts';
import type { CaseView } from './view.ts';

/** The one change that the evidence singles out, and by what. */
export interface Decisive {
  readonly change: FieldChange;
  readonly why: 'only-change' | 'named-by-log' | 'named-by-event' | 'named-by-termination';
  readonly evidence: readonly EvidenceClaim[];
}

/** Which fields can bring a symptom about at all. `undefined`: any. */
const FIELDS: Readonly<Record<Symptom, RegExp | undefined>> = {
  'image-pull': /\.image$|\.imagePullPolicy$|\.imagePullSecrets/,
  oom: /\.resources\.limits\.memory$/,
  unschedulable: /\.resources\.|\.nodeSelector|\.affinity|\.tolerations|\.topologySpreadConstraints|\.nodeName/,
  config: /\.env\[|\.envFrom|\.volumes|\.command|\.volumeMounts/,
  crash: undefined,
  'not-ready': undefined,
};

/** Singles out one change, or none where the evidence does not. */
export function findDecisive(
  symptom: Symptom,
  changes: readonly FieldChange[],
  sick: readonly Trouble[],
  view: CaseView,
): Decisive | undefined {
  const pattern = FIELDS[symptom];
  const containers = new Set(sick.map(({ container }) => container));
  const able = changes.filter(
    (change) =>
      (pattern === undefined || pattern.test(change.path)) &&
      (change.container === undefined || containers.has(change.container) || symptom === 'unschedulable') &&
      (symptom !== 'oom' || isLowered(change)),
  );
  const only = able[0];
  if (only !== undefined && able.length === 1) {
    const named = nameInLogs(only, view) ?? nameInEvents(only, view);
    if (named !== undefined) return named;
    if (pattern !== undefined) return { change: only, why: 'named-by-termination', evidence: [] };
    if (changes.length === 1) return { change: only, why: 'only-change', evidence: [] };
    return undefined;
  }
  const named = able
    .map((change) => nameInLogs(change, view) ?? nameInEvents(change, view))
    .filter((found) => found !== undefined);
  return named.length === 1 ? named[0] : undefined;
}

/** A memory limit that came or became smaller. */
function isLowered(change: FieldChange): boolean {
  const to = parseMemoryBytes(change.to);
  const from = parseMemoryBytes(change.from);
  return to !== undefined && (from === undefined || to < from);
}

function nameInLogs(change: FieldChange, view: CaseView): Decisive | undefined {
  for (const log of view.logs) {
    const line = bestNamingLine(log.value.lines, change);
    const claim = line === undefined ? undefined : quoteLine(log, line);
    if (claim !== undefined) return { change, why: 'named-by-log', evidence: [claim] };
  }
  return undefined;
}

function nameInEvents(change: FieldChange, view: CaseView): Decisive | undefined {
  if (view.events === undefined) return undefined;
  const lines = view.events.text.split('\n').filter((line) => line.startsWith('Warning '));
  const line = bestNamingLine(lines, change);
  const claim = line === undefined ? undefined : quoteLine(view.events, line);
  return claim === undefined ? undefined : { change, why: 'named-by-event', evidence: [claim] };
}

/** The first line that holds both the field's name and its new value, else the first that holds either. */
function bestNamingLine(lines: readonly string[], change: FieldChange): string | undefined {
  const honest = lines.filter((line) => ordersIn(line).length === 0);
  const name = fieldName(change.path);
  const hasName = (line: string) => name !== undefined && holdsWord(line, name);
  const hasValue = (line: string) => change.to !== undefined && isTelling(change.to) && holdsWord(line, change.to);
  return (
    honest.find((line) => hasName(line) && hasValue(line)) ?? honest.find((line) => hasName(line) || hasValue(line))
  );
}

/** What a log would call the field: a variable by its name, a flag or key by its last part where that is no common word. */
function fieldName(path: string): string | undefined {
  const variable = /\.env\[([^\]]+)\]/.exec(path)?.[1];
  if (variable !== undefined) return variable;
  return /\.volumes\[([^\]]+)\]/.exec(path)?.[1];
}

/** Short or common values stand in many lines by chance. */
function isTelling(value: string): boolean {
  return value.length >= 4 && !/^(?:true|false|null|none|info|warn|error|debug|\d{1,4})$/i.test(value);
}

function holdsWord(line: string, word: string): boolean {
  let at = line.indexOf(word);
  while (at >= 0) {
    const before = line.charAt(at - 1);
    const after = line.charAt(at + word.length);
    if (!/[A-Za-z0-9_]/.test(before) && !/[A-Za-z0-9_]/.test(after)) return true;
    at = line.indexOf(word, at + 1);
  }
  return false;
}
