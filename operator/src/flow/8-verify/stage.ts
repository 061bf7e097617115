import type { Sql } from '@hephaisto/core/ports/database';
import { readAction } from '../../act/action-row.ts';
import { endUnsupported, IS_WORKABLE } from '../../act/dead-letter.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { isolated } from '../../act/isolated.ts';
import { underLease } from '../../act/under-lease.ts';
import type { Stage } from '../stage.ts';
import { check } from './check.ts';
import type { DueCheck } from './due-check.ts';

const ABREAST = 4;

/** Asks at the written times whether a repair helped, and of an undo whether it stands. Only reads the cluster. */
export function createVerifyStage(deps: ActingDeps): Stage {
  return {
    name: 'verify',
    pollMs: 500,
    async pass(signal) {
      const due = await dueChecks(deps.db);
      let moved = 0;
      for (let at = 0; at < due.length && !signal.aborted; at += ABREAST) {
        const steps = await Promise.all(due.slice(at, at + ABREAST).map((each) => step(deps, each)));
        moved += steps.filter((done) => done).length;
      }
      return moved;
    },
  };
}

/** The earliest check of each action that is due: the questions build on one another, so they are asked in order even when late. */
async function dueChecks(sql: Sql): Promise<readonly DueCheck[]> {
  return await sql.query<DueCheck>(
    `SELECT DISTINCT ON (v.action_id) v.action_id AS "actionId", v.subject, v.attempt, v.question,
       (extract(epoch FROM app_now() - v.due_at) * 1000)::float8 AS "lateMs"
     FROM verifications v JOIN actions a ON a.id = v.action_id
     WHERE ${IS_WORKABLE} AND v.ran_at IS NULL AND v.due_at <= app_now() AND a.state = CASE v.subject WHEN 'action' THEN 'Verifying' ELSE 'RollingBack' END
     ORDER BY v.action_id, v.attempt LIMIT 50`,
  );
}

async function step(deps: ActingDeps, due: DueCheck): Promise<boolean> {
  return await isolated(deps, 'verify', due.actionId, () =>
    underLease(deps, 'verification', due.actionId, async (held) => {
      const action = await readAction(deps.db, due.actionId);
      if (action === undefined) return false;
      if (action.request === undefined) return await endUnsupported(deps, held, action.id, action.incidentId);
      return await check(deps, held, { ...action, request: action.request }, due);
    }),
  );
}
