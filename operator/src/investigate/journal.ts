import { callKey } from '@hephaisto/core/diagnose/tools';
import type { Sql } from '@hephaisto/core/ports/database';
import type { RawBytes } from './raw-bytes.ts';

/** A finished read of an investigation whose owner died. */
export interface FinishedStep {
  readonly text: string;
  readonly sha256: string;
  readonly truncated: boolean;
  readonly tainted: boolean;
  readonly raw: RawBytes;
}

interface Row {
  readonly tool_name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result_text: string;
  readonly result_sha256: string;
  readonly truncated: boolean;
  readonly tainted: boolean;
  readonly sha256: string;
  readonly content: Uint8Array;
  readonly encoding: 'identity' | 'gzip';
  readonly content_type: string;
  readonly byte_size: number;
}

/**
 * What the attempts before this one had read when their owner died, by call: nothing is read twice that was already recorded. Only for an
 * attempt that takes such a one up; who looks again on purpose wants the world as it is.
 */
export async function finishedSteps(sql: Sql, investigationId: string): Promise<ReadonlyMap<string, FinishedStep>> {
  const rows = await sql.query<Row>(
    `SELECT s.tool_name, s.args, s.result_text, s.result_sha256, s.truncated, s.tainted,
            b.sha256, b.content, b.encoding, b.content_type, b.byte_size
       FROM investigations n
       JOIN investigations before ON before.incident_id = n.incident_id AND before.attempt < n.attempt AND before.state = 'Faulted'
       JOIN steps s ON s.investigation_id = before.id AND s.status = 'ok'
       JOIN evidence_blobs b ON b.step_id = s.id
      WHERE n.id = $1 AND n.cause = 'requeue'
        AND NOT EXISTS (SELECT 1 FROM investigations between_them WHERE between_them.incident_id = n.incident_id
             AND between_them.attempt > before.attempt AND between_them.attempt <= n.attempt AND between_them.cause <> 'requeue')
      ORDER BY before.attempt, s.ordinal`,
    [investigationId],
  );
  return new Map(rows.map((row) => [callKey({ tool: row.tool_name, args: row.args }), finishedStep(row)]));
}

function finishedStep(row: Row): FinishedStep {
  return {
    text: row.result_text,
    sha256: row.result_sha256,
    truncated: row.truncated,
    tainted: row.tainted,
    raw: {
      sha256: row.sha256,
      content: row.content,
      encoding: row.encoding,
      contentType: row.content_type,
      byteSize: row.byte_size,
    },
  };
}
