import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { RUNAWAY_LATCH } from '@hephaisto/core/switches/arms';
import { appendAudit } from '../../flow/incident-log/audit.ts';

/** Sets the runaway latch, once; only a person lifts it. Whoever acts alone asks people from then on. */
export async function setRunawayLatch(tx: Sql, reason: string): Promise<void> {
  const set = await tx.execute(
    `INSERT INTO switches (name, value, reason, set_by) VALUES ($1, 'on', $2, $3)
     ON CONFLICT (name) DO UPDATE SET value = 'on', reason = excluded.reason, set_by = excluded.set_by, set_at = app_now(),
       version = switches.version + 1 WHERE switches.value = 'off'`,
    [RUNAWAY_LATCH, reason, SERVICE_PRINCIPALS.investigator],
  );
  if (set === 0) return;
  await appendAudit(tx, {
    actor: SERVICE_PRINCIPALS.investigator,
    origin: 'core',
    verb: 'switch.set',
    subjectKind: 'switch',
    subjectId: RUNAWAY_LATCH,
    detail: { from: 'off', to: 'on', why: 'model-spend' },
  });
}
