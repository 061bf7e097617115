import {
  insertIncident,
  insertInvestigation,
  insertProposal,
  insertSignal,
  moveIncidentTo,
  noteOn,
  type ProposalSeed,
} from '@hephaisto/test/incident-rows';
import type { World } from '../harness/world.ts';

type Crowd = Awaited<ReturnType<World['crowd']>>;

export interface Prepared {
  readonly id: string;
  readonly number: number;
  readonly path: string;
  readonly stepId: string;
  readonly investigationId: string;
  readonly proposalId: string;
}

/** An incident that waits for approval in the prepared database; with `words`, they stand wherever words of others may stand. */
export async function prepareWaiting(
  crowd: Crowd,
  { words, title, quorum = 1, ...seed }: ProposalSeed & { readonly title?: string; readonly quorum?: 1 | 2 },
): Promise<Prepared> {
  const { db } = crowd;
  const id = await insertIncident(db, {
    title: title ?? words ?? 'web crashes since revision 2',
    severity: 'critical',
    ...(words === undefined ? {} : { namespace: words, owner: words }),
  });
  if (words !== undefined) await insertSignal(db, { incidentId: id, namespace: words, words });
  const { investigationId, stepId } = await insertInvestigation(db, id, {
    stepText: words ?? 'panic: dial tcp: lookup db-new: no such host',
    ...(words === undefined ? {} : { statement: words }),
  });
  const { proposalId } = await insertProposal(db, id, investigationId, quorum, {
    ...seed,
    ...(words === undefined ? {} : { words }),
  });
  await moveIncidentTo(db, id, 'AwaitingApproval');
  if (words !== undefined) await noteOn(db, id, words);
  const [row] = await db.query<{ number: number }>('SELECT number::int AS number FROM incidents WHERE id = $1', [id]);
  const number = row?.number ?? 0;
  return { id, number, path: `/incidents/${number}`, stepId, investigationId, proposalId };
}

/** Puts a second revision of the proposal in its place, as a moved target does. */
export async function replaceProposal(crowd: Crowd, { id, proposalId }: Prepared): Promise<void> {
  await crowd.db.execute(`UPDATE proposals SET state = 'Superseded', settled_at = app_now() WHERE id = $1`, [
    proposalId,
  ]);
  await crowd.db.execute(
    `INSERT INTO proposals (id, action_id, revision, canonical, digest, target_spec_sha256, policy_hash, gates, quorum, state, proposed_by,
       expires_at)
     SELECT gen_random_uuid(), action_id, 2, canonical || ' ', encode(sha256((canonical || ' ')::bytea), 'hex'), target_spec_sha256,
       policy_hash, gates, quorum, 'Open', proposed_by, expires_at FROM proposals WHERE id = $1`,
    [proposalId],
  );
  await noteOn(crowd.db, id, 'the target is another one now');
}
