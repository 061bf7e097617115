import type { Sql } from '@hephaisto/core/ports/database';

export type RawEvidence =
  | {
      readonly kind: 'raw';
      readonly content: Uint8Array;
      readonly encoding: 'identity' | 'gzip';
      readonly contentType: string;
      readonly sha256: string;
    }
  | { readonly kind: 'refused'; readonly reason: 'step-not-found' | 'evidence-expired'; readonly message: string };

interface BlobRow {
  readonly content: Uint8Array | null;
  readonly encoding: 'identity' | 'gzip' | null;
  readonly content_type: string | null;
  readonly sha256: string | null;
  readonly expired: boolean | null;
}

/** The bytes behind a step of the incident, as they were captured, redacted before they were stored. */
export async function readRawEvidence(sql: Sql, incidentId: string, stepId: string): Promise<RawEvidence> {
  const rows = await sql.query<BlobRow>(
    `SELECT b.content, b.encoding, b.content_type, b.sha256, b.expires_at <= app_now() AS expired
     FROM steps s JOIN investigations n ON n.id = s.investigation_id LEFT JOIN evidence_blobs b ON b.step_id = s.id
     WHERE s.id = $1 AND n.incident_id = $2 ORDER BY b.created_at DESC NULLS LAST LIMIT 1`,
    [stepId, incidentId],
  );
  const row = rows[0];
  if (row === undefined)
    return {
      kind: 'refused',
      reason: 'step-not-found',
      message: `expected a step of this incident, found none with the id \`${stepId}\``,
    };
  if (row.content === null || row.encoding === null || row.expired === true)
    return {
      kind: 'refused',
      reason: 'evidence-expired',
      message: 'expected the raw bytes, found that none are kept; the text of the step remains',
    };
  return {
    kind: 'raw',
    content: row.content,
    encoding: row.encoding,
    contentType: row.content_type ?? 'text/plain; charset=utf-8',
    sha256: row.sha256 ?? '',
  };
}
