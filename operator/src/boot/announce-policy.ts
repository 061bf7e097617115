import type { Database } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { lastLoaded } from '../act/policy-in-force.ts';
import { appendAudit } from '../flow/incident-log/audit.ts';

/** Writes down that this policy was loaded, unless the last one that anybody loaded is the same: from now on it is in force everywhere. */
export async function announcePolicy(db: Database, hash: string): Promise<void> {
  await db.transaction(async (tx) => {
    if ((await lastLoaded(tx)) === hash) return;
    await appendAudit(tx, {
      actor: SERVICE_PRINCIPALS.policy,
      origin: 'core',
      verb: 'policy.load',
      subjectKind: 'policy',
      subjectId: 'installation',
      detail: { hash },
    });
  });
}
