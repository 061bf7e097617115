import type { Sql } from '@hephaisto/core/ports/database';
import { readAction } from '../../act/action-row.ts';
import { endUnsupported, IS_WORKABLE } from '../../act/dead-letter.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { isolated } from '../../act/isolated.ts';
import { underLease } from '../../act/under-lease.ts';
import { UNDO_IS_DUE } from '../../act/undo-retry.ts';
import type { Stage } from '../stage.ts';
import { execute } from './execute.ts';
import { readBackAction, readBackUndo } from './read-back.ts';
import { removeStuckPods } from './remove-stuck-pods.ts';
import { undo } from './undo.ts';

/** Acts at once, of different workloads; each waits mostly for the API server. */
const ABREAST = 4;

/**
 * Carries out what was admitted, and the undo of what a last check saw fail. Every call is written down before it is made; a call whose
 * answer is missing is read back and never made again.
 */
export function createActStage(deps: ActingDeps): Stage {
  return {
    name: 'act',
    pollMs: 1_000,
    async pass(signal) {
      const due = await dueActions(deps.db);
      let moved = 0;
      for (let at = 0; at < due.length && !signal.aborted; at += ABREAST) {
        const steps = await Promise.all(due.slice(at, at + ABREAST).map((id) => step(deps, id)));
        moved += steps.filter((done) => done).length;
      }
      return moved;
    },
  };
}

/** What is the executor's to do: everything between admission and checks. A dry run by mode has no admission, and ends there. */
async function dueActions(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT a.id FROM actions a
     WHERE ${IS_WORKABLE} AND (a.state IN ('Admitted', 'Executing') OR (a.state = 'DryRunOk' AND a.admitted_at IS NOT NULL)
        OR (a.state IN ('Unknown', 'RollbackUnknown') AND EXISTS (SELECT 1 FROM action_attempts t
             WHERE t.action_id = a.id AND t.outcome = 'unknown' AND t.readback IS NULL))
        OR (a.state = 'RollingBack' AND ${UNDO_IS_DUE}
             AND NOT EXISTS (SELECT 1 FROM verifications v WHERE v.action_id = a.id AND v.subject = 'rollback'))
        OR (a.state = 'VerificationFailed' AND a.inverse ->> 'kind' = 'replace' AND a.post_state -> 'undo' IS NULL AND ${UNDO_IS_DUE})
        OR (a.state = 'Verifying' AND a.pre_state -> 'removes' <> '[]'::jsonb AND a.post_state -> 'removed' IS NULL))
     ORDER BY a.state_since, a.id LIMIT 50`,
  );
  return rows.map(({ id }) => id);
}

async function step(deps: ActingDeps, id: string): Promise<boolean> {
  return await isolated(deps, 'act', id, () => work(deps, id));
}

async function work(deps: ActingDeps, id: string): Promise<boolean | undefined> {
  return await underLease(deps, 'action', id, async (held) => {
    const action = await readAction(deps.db, id);
    if (action === undefined) return false;
    if (action.request === undefined) return await endUnsupported(deps, held, id, action.incidentId);
    const typed = { ...action, request: action.request };
    switch (action.state) {
      case 'Admitted':
      case 'DryRunOk':
      case 'Executing':
        return await execute(deps, held, typed);
      case 'Unknown':
        return await readBackAction(deps, held, typed);
      case 'VerificationFailed':
      case 'RollingBack':
        return await undo(deps, held, typed);
      case 'Verifying':
        return await removeStuckPods(deps, held, typed);
      case 'RollbackUnknown':
        return await readBackUndo(deps, held, typed);
      default:
        return false;
    }
  });
}
