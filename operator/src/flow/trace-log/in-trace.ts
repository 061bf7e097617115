import type { StageDeps } from '../stage.ts';

/** What a piece of work is about: each leads to one incident. */
export type About = { readonly incident: string } | { readonly action: string } | { readonly investigation: string };

const INCIDENT_OF: Readonly<Record<string, string>> = {
  incident: '$1',
  action: '(SELECT incident_id FROM actions WHERE id = $1)',
  investigation: '(SELECT incident_id FROM investigations WHERE id = $1)',
};

/**
 * Runs work of a stage in a span of the incident's trace, whichever replica and whenever it comes to it. Call it outside of a transaction.
 * Costs nothing where nothing is traced.
 */
export async function inTrace<T>(
  { db, tracer }: Pick<StageDeps, 'db' | 'tracer'>,
  name: string,
  about: About,
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer.recording) return work();
  const [[what, id] = ['incident', '']] = Object.entries(about);
  const [row] = await db.query<{ id: string; traceparent: string | null }>(
    `SELECT id, traceparent FROM incidents WHERE id = ${INCIDENT_OF[what]}`,
    [id],
  );
  const attributes = { [`hephaisto.${what}.id`]: String(id), ...(row && { 'hephaisto.incident.id': row.id }) };
  return tracer.span(name, attributes, work, { parent: row?.traceparent ?? undefined });
}
