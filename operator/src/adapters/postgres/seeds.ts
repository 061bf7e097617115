import { ACTION_EDGES } from '@hephaisto/core/action/machine';
import { INCIDENT_EDGES } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { PROPOSAL_EDGES } from '@hephaisto/core/proposal/machine';

/** One legal transition; `from: ''` is creation. */
export interface LegalEdge {
  readonly edge: string;
  readonly from: string;
  readonly to: string;
}

/** Rows that code owns and the database needs in order to hold its invariants. */
export interface Seeds {
  readonly incident: readonly LegalEdge[];
  readonly action: readonly LegalEdge[];
  readonly proposal: readonly LegalEdge[];
  /** Subjects of the named services that may author events. */
  readonly services: readonly string[];
}

export const PRODUCT_SEEDS: Seeds = {
  incident: INCIDENT_EDGES,
  action: ACTION_EDGES,
  proposal: PROPOSAL_EDGES,
  services: Object.values(SERVICE_PRINCIPALS),
};

type EdgeTable = 'incident_edges' | 'action_edges' | 'proposal_edges';

function edgesByTable(seeds: Seeds): readonly (readonly [EdgeTable, readonly LegalEdge[]])[] {
  return [
    ['incident_edges', seeds.incident],
    ['action_edges', seeds.action],
    ['proposal_edges', seeds.proposal],
  ];
}

/** True when the database already holds exactly the seeds' edges and all its services. */
export async function isSeeded(sql: Sql, seeds: Seeds): Promise<boolean> {
  const rows = await sql.query<{ kind: string; item: string }>(
    `SELECT 'incident_edges' AS kind, edge || ' ' || from_state || ' ' || to_state AS item FROM incident_edges
     UNION ALL SELECT 'action_edges', edge || ' ' || from_state || ' ' || to_state FROM action_edges
     UNION ALL SELECT 'proposal_edges', edge || ' ' || from_state || ' ' || to_state FROM proposal_edges
     UNION ALL SELECT 'service', subject FROM principals WHERE kind = 'service' AND subject = ANY($1)`,
    [seeds.services],
  );
  const found = rows.map((row) => `${row.kind} ${row.item}`).sort();
  const expected = [
    ...edgesByTable(seeds).flatMap(([table, edges]) =>
      edges.map(({ edge, from, to }) => `${table} ${edge} ${from} ${to}`),
    ),
    ...seeds.services.map((subject) => `service ${subject}`),
  ].sort();
  return found.length === expected.length && found.every((item, index) => item === expected[index]);
}

/** Makes the edge tables equal to the seeds, removing edges that code no longer knows, and adds missing services. */
export async function seed(tx: Sql, seeds: Seeds): Promise<void> {
  for (const [table, edges] of edgesByTable(seeds)) {
    const columns = [edges.map((edge) => edge.edge), edges.map((edge) => edge.from), edges.map((edge) => edge.to)];
    await tx.execute(
      `DELETE FROM ${table} WHERE (edge, from_state, to_state) NOT IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))`,
      columns,
    );
    await tx.execute(
      `INSERT INTO ${table} (edge, from_state, to_state) SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING`,
      columns,
    );
  }
  await tx.execute(
    `INSERT INTO principals (subject, kind, display_name)
     SELECT subject, 'service', 'Hephaisto ' || split_part(subject, '/', 2) FROM unnest($1::text[]) AS subject ON CONFLICT DO NOTHING`,
    [seeds.services],
  );
}
