import type { Sql } from '@hephaisto/core/ports/database';
import type { VoteOrigin } from '@hephaisto/core/principal/access';

/** An account that votes, with the person to whom it belongs. A quorum counts people, since one person may hold several accounts. */
export interface Voter {
  readonly kind: 'person' | 'service';
  readonly person: string;
}

export async function readVoter(sql: Sql, account: string): Promise<Voter | undefined> {
  const [row] = await sql.query<Voter>('SELECT kind, person_of(subject) AS person FROM principals WHERE subject = $1', [
    account,
  ]);
  return row;
}

export interface EarlierVote {
  readonly actor: string;
  readonly decision: string;
  readonly at: Date;
  readonly origin: VoteOrigin;
}

interface EarlierVoteRow extends Omit<EarlierVote, 'origin'> {
  readonly person: string;
  readonly made_by: string | null;
}

/** Votes on the proposal, oldest first. There are never more than the quorum. */
export async function earlierVotes(sql: Sql, proposalId: string): Promise<readonly EarlierVote[]> {
  const rows = await sql.query<EarlierVoteRow>(
    `SELECT actor, decision, at, person_of(actor) AS person, person_of(credential_made_by) AS made_by
     FROM approvals WHERE proposal_id = $1 ORDER BY at, id LIMIT 100`,
    [proposalId],
  );
  return rows.map(({ person, made_by, ...vote }) => ({ ...vote, origin: { person, madeBy: made_by ?? undefined } }));
}

/** How many different people are for the proposal. */
export async function countPeopleFor(sql: Sql, proposalId: string): Promise<number> {
  const [row] = await sql.query<{ people: number }>(
    `SELECT count(DISTINCT person_of(actor))::int AS people FROM approvals WHERE proposal_id = $1 AND decision = 'approve'`,
    [proposalId],
  );
  return row?.people ?? 0;
}
