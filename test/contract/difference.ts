/** One place in which two answers differ. */
export interface Difference {
  readonly path: string;
  readonly simulated: string;
  readonly real: string;
}

const MOST_TEXT = 400;

/** Where the simulated answer is not the real one; nothing when they are equal. Objects are compared without regard to order. */
export function differences(simulated: unknown, real: unknown, path = ''): readonly Difference[] {
  if (isRecord(simulated) && isRecord(real)) {
    const keys = [...new Set([...Object.keys(simulated), ...Object.keys(real)])].sort();
    return keys.flatMap((key) => differences(simulated[key], real[key], `${path}/${key}`));
  }
  if (Array.isArray(simulated) && Array.isArray(real)) {
    const length = Math.max(simulated.length, real.length);
    return Array.from({ length }, (_, i) => differences(simulated[i], real[i], `${path}/${i}`)).flat();
  }
  if (Object.is(simulated, real)) return [];
  return [{ path, simulated: shown(simulated), real: shown(real) }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}
