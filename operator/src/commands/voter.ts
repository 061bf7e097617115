import type { Sql } from '@hephaisto/core/ports/database';

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
}

/** The vote that this person has given, from whichever account. */
export async function earlierVoteOf(sql: Sql, proposalId: string, person: string): Promise<EarlierVote | undefined> {
  const [row] = await sql.query<EarlierVote>(
    'SELECT actor, decision, at FROM approvals WHERE proposal_id = $1 AND person_of(actor) = $2 ORDER BY at, id LIMIT 1',
    [proposalId, person],
  );
  return row;
}

/** How many different people are for the proposal. */
export async function countPeopleFor(sql: Sql, proposalId: string): Promise<number> {
  const [row] = await sql.query<{ people: number }>(
    `SELECT count(DISTINCT person_of(actor))::int AS people FROM approvals WHERE proposal_id = $1 AND decision = 'approve'`,
    [proposalId],
  );
  return row?.people ?? 0;
}
