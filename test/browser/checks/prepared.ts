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
  { life, words, title }: ProposalSeed & { readonly title?: string },
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
  const { proposalId } = await insertProposal(db, id, investigationId, 1, {
    ...(life === undefined ? {} : { life }),
    ...(words === undefined ? {} : { words }),
  });
  await moveIncidentTo(db, id, 'AwaitingApproval');
  if (words !== undefined) await noteOn(db, id, words);
  const [row] = await db.query<{ number: number }>('SELECT number::int AS number FROM incidents WHERE id = $1', [id]);
  const number = row?.number ?? 0;
  return { id, number, path: `/incidents/${number}`, stepId, investigationId, proposalId };
}
