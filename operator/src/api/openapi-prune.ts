type Json = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';

/**
 * Leaves only the schemas that some operation reaches. The registry holds every schema of the process, each once as it is read and once as
 * it is written, and a client generator would make types of them all.
 */
export function pruneSchemas(document: Json): Json {
  const components = (document.components ?? {}) as Json;
  const schemas = (components.schemas ?? {}) as Json;
  const reached = new Set<string>();
  const queue: unknown[] = [document.paths];
  for (let value = queue.pop(); value !== undefined || queue.length > 0; value = queue.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (key === '$ref' && typeof child === 'string' && child.startsWith(PREFIX)) {
        const name = child.slice(PREFIX.length);
        if (!reached.has(name)) {
          reached.add(name);
          queue.push(schemas[name]);
        }
      } else if (typeof child === 'object') queue.push(child);
    }
  }
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name)));
  return { ...document, components: { ...components, schemas: kept } };
}
