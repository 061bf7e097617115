import type { FieldChange } from '../finding/finding.ts';
import { LABEL_DOMAIN } from '../names.ts';
import { asRecord, type Raw } from './raw.ts';

/** Annotations that change with every restart or by our own stamp: they make a new revision, never a fault. */
const STAMPS: readonly string[] = ['kubectl.kubernetes.io/restartedAt', 'kubernetes.io/change-cause'];

const LONGEST_VALUE = 300;

/**
 * Every field that differs between two pod templates, in path order. Lists whose items are all named are compared by name, so that
 * an added variable is one change and not a shift of all that follow.
 */
export function diffTemplates(from: Raw, to: Raw): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  compare('spec.template', undefined, from, to, changes);
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** As it stands in the text of a rollout history, so that rules can quote it. */
export function changeLine(change: FieldChange): string {
  return `changed ${change.path}: ${change.from ?? '(absent)'} -> ${change.to ?? '(absent)'}`;
}

function compare(
  path: string,
  container: string | undefined,
  from: unknown,
  to: unknown,
  changes: FieldChange[],
): void {
  if (isStamp(path) || deepEqual(from, to)) return;
  const [left, right] = [recordOrNone(from, to), recordOrNone(to, from)];
  if (left !== undefined && right !== undefined) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      compare(`${path}.${key}`, container, left[key], right[key], changes);
    }
    return;
  }
  const before = byName(from);
  const after = byName(to);
  if (before !== undefined && after !== undefined && (before.size > 0 || after.size > 0)) {
    const isContainers = /\.(?:initC|c|ephemeralC)ontainers$/.test(path);
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      compareNamed(`${path}[${name}]`, isContainers ? name : container, before.get(name), after.get(name), changes);
    }
    return;
  }
  changes.push({
    path,
    ...(container === undefined ? {} : { container }),
    ...shown('from', from),
    ...shown('to', to),
  });
}

/** An environment variable that came or went is told with its value's path, as one that changed would be. */
function compareNamed(
  path: string,
  container: string | undefined,
  from: unknown,
  to: unknown,
  changes: FieldChange[],
): void {
  const isVariable = /\.env\[[^\]]*\]$/.test(path);
  if (!isVariable || (from !== undefined && to !== undefined)) {
    compare(path, container, from, to, changes);
    return;
  }
  const { name: _, ...before } = asRecord(from);
  const { name: __, ...after } = asRecord(to);
  compare(path, container, before, after, changes);
}

function byName(value: unknown): Map<string, Raw> | undefined {
  if (value === undefined) return new Map();
  if (!Array.isArray(value)) return undefined;
  const named = new Map<string, Raw>();
  for (const item of value) {
    const key = asRecord(item).name;
    if (typeof key !== 'string' || named.has(key)) return undefined;
    named.set(key, asRecord(item));
  }
  return named;
}

function isStamp(path: string): boolean {
  return (
    STAMPS.some((stamp) => path.endsWith(`.annotations.${stamp}`)) ||
    path.includes(`.annotations.${LABEL_DOMAIN}/`) ||
    path.endsWith('.metadata.creationTimestamp')
  );
}

function shown<Key extends 'from' | 'to'>(key: Key, value: unknown): { readonly [K in Key]?: string } {
  if (value === undefined || value === null) return {};
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { [key]: text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` } as {
    readonly [K in Key]?: string;
  };
}

/** A record that came or went is told field by field, so that a new limit is a change of the limit and not of all resources. */
function recordOrNone(value: unknown, other: unknown): Raw | undefined {
  if (isRecord(value)) return value;
  return value === undefined && isRecord(other) && Object.keys(other).length > 0 ? {} : undefined;
}

function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => deepEqual(a[key], b[key]));
}
