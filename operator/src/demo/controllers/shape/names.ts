/** Letters and digits that cannot spell words or be mistaken for one another. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Text of the given length from the safe alphabet, as it ends generated names. */
export function randomSuffix(random: Random, length = 5): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');
}

/**
 * The stable label value of a pod template: equal templates hash alike whatever the order of their keys.
 * A raised collision count gives the same template another value.
 */
export function templateHash(template: unknown, collisionCount?: number): string {
  const text = canonical(template) + (collisionCount === undefined ? '' : `#${collisionCount}`);
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return Array.from(String(hash), (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** JSON with sorted keys; nulls and absent fields are the same thing. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined && field !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
}
