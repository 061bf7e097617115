import { settleCertainty } from '@hephaisto/core/finding/certainty';
import { type CitedStep, type GroundedFinding, groundFindings } from '@hephaisto/core/finding/ground';
import type { Conclusion } from '@hephaisto/core/investigation/investigator';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Metrics } from '@hephaisto/core/ports/telemetry';
import type { RecordingRecorder } from '../../investigate/recorder.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Checks each quotation against the text that was stored, whoever made the claim, and counts what does not stand. */
export async function checkClaims(
  sql: Sql,
  metrics: Metrics,
  conclusion: Conclusion,
  texts: RecordingRecorder['texts'],
): Promise<readonly GroundedFinding[]> {
  const cited = conclusion.findings.flatMap(({ evidence }) => evidence.map(({ stepId }) => stepId));
  const strangers = [...new Set(cited)].filter((id) => !texts.has(id) && UUID.test(id));
  const foreign = strangers.length === 0 ? new Set<string>() : await existing(sql, strangers);
  const lookUp = (stepId: string): CitedStep | undefined => {
    const own = texts.get(stepId);
    if (own !== undefined) return { kind: 'own', ...own };
    return foreign.has(stepId.toLowerCase()) ? { kind: 'foreign' } : undefined;
  };
  const claims = conclusion.findings.map((claim) => ({ ...claim, certainty: settleCertainty(claim) }));
  const grounded = groundFindings(claims, lookUp);
  for (const item of grounded.flatMap(({ evidence }) => evidence)) {
    if (item.kind === 'rejected') metrics.count('grounding_rejected_total', { reason: item.reason });
  }
  return grounded;
}

async function existing(sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ id: string }>('SELECT id FROM steps WHERE id = ANY($1::uuid[])', [ids]);
  return new Set(rows.map(({ id }) => id));
}
