import type { Sql } from '@hephaisto/core/ports/database';
import { readAction } from '../../act/action-row.ts';
import { IS_WORKABLE } from '../../act/dead-letter.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { isolated } from '../../act/isolated.ts';
import { readProposalRow } from '../../act/proposal.ts';
import { expire, lockOpen } from '../../act/settle-open.ts';
import { underLease } from '../../act/under-lease.ts';
import type { Stage } from '../stage.ts';
import { admitApproved } from './admit-approved.ts';
import { consider } from './consider.ts';
import { revalidateOpen, type Unfinished } from './revalidate.ts';

/** Rows of one pass; a long queue is taken in several, so that one slow target does not hold up the rest for ever. */
const BATCH = 20;

/**
 * Decides what may be done: each proposed action is denied, shown to a person, or admitted; each approved one is admitted or refused; open
 * proposals end with their time, or with the world they were made for.
 */
export function createAdmitStage(deps: ActingDeps): Stage {
  const lastLook = { fingerprint: '', at: Number.NEGATIVE_INFINITY };
  const unfinished: Unfinished = new Map();
  return {
    name: 'admit',
    pollMs: Math.min(1_000, deps.settings.recheckMs),
    async pass(signal) {
      let moved = await expireDue(deps);
      for (const id of await idsIn(deps.db, 'Approved')) {
        if (signal.aborted) return moved;
        moved += await each(deps, id, admitApproved);
      }
      for (const id of await idsIn(deps.db, 'Proposed')) {
        if (signal.aborted) return moved;
        moved += await each(deps, id, consider);
      }
      if (!signal.aborted && (await dueForLook(deps, lastLook)))
        moved += await revalidateOpen(deps, unfinished, signal);
      return moved;
    },
  };
}

async function idsIn(sql: Sql, state: 'Proposed' | 'Approved'): Promise<readonly string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT a.id FROM actions a WHERE a.state = $1 AND ${IS_WORKABLE} ORDER BY a.state_since, a.id LIMIT ${BATCH}`,
    [state],
  );
  return rows.map(({ id }) => id);
}

type Step = typeof consider;

async function each(deps: ActingDeps, id: string, step: Step): Promise<number> {
  const moved = await isolated(deps, 'admit', id, () =>
    underLease(deps, 'action', id, async (held) => {
      const action = await readAction(deps.db, id);
      return action === undefined ? false : await step(deps, held, action);
    }),
  );
  return moved ? 1 : 0;
}

async function expireDue(deps: ActingDeps): Promise<number> {
  const due = await deps.db.query<{ id: string }>(
    `SELECT id FROM proposals WHERE state = 'Open' AND expires_at <= app_now() ORDER BY expires_at LIMIT ${BATCH}`,
  );
  let moved = 0;
  for (const { id } of due) {
    const isOurs = await deps.db.transaction(async (tx) => {
      const proposal = await readProposalRow(tx, id);
      const open = proposal === undefined ? undefined : await lockOpen(tx, proposal);
      if (open?.proposal.state !== 'Open' || !open.proposal.over) return false;
      await expire(tx, deps, open.proposal, open.action);
      return true;
    });
    await deps.faults.hit('admit:expired');
    // Another replica may have been first: each expiry is counted where it was written.
    if (!isOurs) continue;
    moved += 1;
    deps.metrics.count('proposals_total', { outcome: 'expired' });
  }
  return moved;
}

/** At every moved switch at once, else in the configured rhythm. */
async function dueForLook(deps: ActingDeps, last: { fingerprint: string; at: number }): Promise<boolean> {
  const fingerprint = `${await deps.switches.fingerprint(deps.db)}\n${deps.policy.current().hash}`;
  const now = deps.clock.monotonicMs();
  if (fingerprint === last.fingerprint && now - last.at < deps.settings.recheckMs) return false;
  last.fingerprint = fingerprint;
  last.at = now;
  return true;
}
