/**
 * A deep copy as JSON would carry it (no undefined, dates as text), frozen to the bottom.
 * What is frozen already is taken over as it is: stored objects share all the parts that a write did not touch.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (frozenByUs.has(value)) return value;
  const taken = value instanceof Date ? value.toISOString() : Array.isArray(value) ? value.map(element) : fields(value);
  if (typeof taken === 'string') return taken;
  Object.freeze(taken);
  frozenByUs.add(taken);
  return taken;
}

// Frozen by a caller says nothing about what lies deeper; only what this function made is known to be frozen all through.
const frozenByUs = new WeakSet<object>();

function element(value: unknown): unknown {
  return value === undefined ? null : copy(value);
}

function fields(value: object): object {
  const taken: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined || typeof field === 'function') continue;
    // A field named `__proto__` is data like any other; plain assignment would change the prototype.
    if (key === '__proto__') Object.defineProperty(taken, key, { value: copy(field), enumerable: true });
    else taken[key] = copy(field);
  }
  return taken;
}
