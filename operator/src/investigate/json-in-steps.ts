import type { Steps } from '@hephaisto/core/steps';

/** Values between two steps. */
const VALUES_PER_STEP = 1_024;

interface Count {
  values: number;
}

function isStepEnd(count: Count): boolean {
  count.values += 1;
  return count.values % VALUES_PER_STEP === 0;
}

/**
 * The text that `JSON.stringify(value, null, 1)` makes, with dates as `{"$date": …}` so that they come back as dates. In chunks and in steps, since an
 * answer of megabytes would hold the event loop.
 */
export function* jsonInSteps(value: unknown): Steps<readonly string[]> {
  const parts: string[] = [];
  const chunks: string[] = [];
  // Each step's parts are joined at once: joining all of them at the end would be the longest hold of all.
  for (const steps = write(value, '\n', parts, { values: 0 }); steps.next().done !== true; ) {
    chunks.push(parts.splice(0).join(''));
    yield;
  }
  return [...chunks, parts.join('')];
}

function* write(value: unknown, line: string, parts: string[], count: Count): Steps<void> {
  if (isStepEnd(count)) yield;
  if (value instanceof Date) return yield* write({ $date: value.toJSON() }, line, parts, count);
  if (typeof value !== 'object' || value === null) {
    parts.push(JSON.stringify(value) ?? 'null');
    return;
  }
  const isList = Array.isArray(value);
  const inner = `${line} `;
  let isFirst = true;
  for (const [key, child] of Object.entries(value)) {
    if (!isList && (child === undefined || typeof child === 'function' || typeof child === 'symbol')) continue;
    parts.push(isFirst ? (isList ? '[' : '{') : ',', inner);
    isFirst = false;
    if (!isList) parts.push(JSON.stringify(key), ': ');
    // A generator for each number or text would cost more than its text.
    if (typeof child === 'object' && child !== null) yield* write(child, inner, parts, count);
    else {
      parts.push(JSON.stringify(child) ?? 'null');
      if (isStepEnd(count)) yield;
    }
  }
  if (isFirst) parts.push(isList ? '[]' : '{}');
  else parts.push(line, isList ? ']' : '}');
}

/** The same value with `{"$date": …}` as dates again; a text that looks like a date stays a text. Changes the value in place. */
export function reviveDatesInSteps(value: unknown): Steps<unknown> {
  return revive(value, { values: 0 });
}

function* revive(value: unknown, count: Count): Steps<unknown> {
  if (isStepEnd(count)) yield;
  if (typeof value !== 'object' || value === null) return value;
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record);
  if (keys.length === 1 && typeof record.$date === 'string') return new Date(record.$date);
  for (const key of keys) {
    const child = record[key];
    if (typeof child !== 'object' || child === null) continue;
    // A plain assignment to `__proto__`, which JSON.parse makes a member, would set the prototype instead.
    const revived = yield* revive(child, count);
    if (revived !== child)
      Object.defineProperty(record, key, { value: revived, enumerable: true, writable: true, configurable: true });
  }
  return value;
}
