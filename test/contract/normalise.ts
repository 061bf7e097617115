/**
 * What differs between any two clusters by nature, replaced by a word for what it is: so that what is left must be equal. Anything
 * replaced must still be there, in the same form.
 */
export function normalise(value: unknown): unknown {
  if (typeof value === 'string') return normaliseText(value);
  if (Array.isArray(value)) return value.map(normalise);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .filter(([key]) => !DROPPED.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [normaliseText(key), field(key, inner)] as const);
  return Object.fromEntries(entries);
}

/** Written by the server about its own bookkeeping; nobody here reads them. */
const DROPPED = new Set(['managedFields', 'selfLink']);

const BY_KEY: Readonly<Record<string, string>> = {
  resourceVersion: '#revision',
  continue: '#continue',
  token: '#token',
  'ca.crt': '#certificate',
  Port: '#port',
};

function field(key: string, inner: unknown): unknown {
  const word = BY_KEY[key];
  // An empty one says that there is none.
  if (word !== undefined && (typeof inner === 'number' || (typeof inner === 'string' && inner !== ''))) return word;
  return normalise(inner);
}

const HASH = '[bcdfghjklmnpqrstvwxz2456789]';
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, '#microtime'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z/g, '#nanotime'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '#time'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '#millitime'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '#uid'],
  [/containerd:\/\/[0-9a-f]{64}/g, '#container'],
  [/(resource version:? |precondition: |object meta: |\()\d{2,}/g, '$1#revision'],
  [/current: \d+/g, 'current: #revision'],
  [/https:\/\/127\.0\.0\.1:\d+/g, '#server'],
  [/127\.0\.0\.1:\d+/g, '#address'],
  [/\b10\.(96|244)\.\d+\.\d+\b/g, '#ip'],
  [new RegExp(`-${HASH}{8,10}-${HASH}{5}\\b`, 'g'), '-#hash-#rand'],
  [new RegExp(`-${HASH}{8,10}\\b`, 'g'), '-#hash'],
  [new RegExp(`^${HASH}{8,10}$`, 'g'), '#hash'],
  [new RegExp(`=${HASH}{8,10}\\b`, 'g'), '=#hash'],
  [new RegExp(`-${HASH}{5}(?=$|[^a-z0-9-])`, 'g'), '-#rand'],
  [/\.[0-9a-f]{11,16}(?=$|")/g, '.#stamp'],
];

export function normaliseText(text: string): string {
  let result = text;
  for (const [pattern, word] of RULES) result = result.replace(pattern, word);
  return result;
}
