import type { Sql } from '@hephaisto/core/ports/database';
import type { Readable } from '@hephaisto/core/principal/access';
import type { ProposalState } from '@hephaisto/core/proposal/machine';
import type { Proposal, Vote } from '@hephaisto/core/report/action';
import { ACTION_COLUMNS, type ActionRow, actionSummaryOf } from './action-summary.ts';
import { createConditions, restrictTo } from './conditions.ts';
import { grouped } from './investigations.ts';
import { type Listed, type Listing, type PageRequest, readPage } from './page.ts';
import { contentOf, gateOf } from './proposal-content.ts';
import { facts, iso, list, person, titleOf } from './rows.ts';

interface ProposalRow extends ActionRow {
  readonly proposal_id: string;
  readonly revision: number;
  readonly digest: string;
  readonly proposal_state: ProposalState;
  readonly void_reason: string | null;
  readonly quorum: number;
  readonly proposed_by: string;
  readonly proposed_by_name: string | null;
  readonly requested_by: string | null;
  readonly requested_by_name: string | null;
  readonly proposed_at: Date;
  readonly expires_at: Date;
  readonly seconds_left: number | null;
  readonly settled_at: Date | null;
  readonly superseded_by: string | null;
  readonly canonical: string;
  readonly dry_run: unknown;
  readonly gates: unknown;
  readonly proposal_policy_hash: string;
}

const PROPOSAL_SELECT = `
  SELECT ${ACTION_COLUMNS}, p.id AS proposal_id, p.revision, p.digest, p.state AS proposal_state, p.void_reason, p.quorum,
    p.proposed_by, pb.display_name AS proposed_by_name, p.requested_by, rb.display_name AS requested_by_name,
    p.created_at AS proposed_at, p.expires_at, p.settled_at, p.canonical, p.dry_run, p.gates, p.policy_hash AS proposal_policy_hash,
    CASE WHEN p.state = 'Open' THEN greatest(0, floor(extract(epoch FROM p.expires_at - app_now())))::int END AS seconds_left,
    (SELECT x.id FROM proposals x WHERE x.action_id = p.action_id AND x.revision > p.revision ORDER BY x.revision LIMIT 1) AS superseded_by
  FROM proposals p JOIN actions a ON a.id = p.action_id JOIN incidents i ON i.id = a.incident_id
  LEFT JOIN principals pb ON pb.subject = p.proposed_by LEFT JOIN principals rb ON rb.subject = p.requested_by`;

const PROPOSALS: Listing<ProposalRow> = {
  name: 'proposals',
  select: PROPOSAL_SELECT,
  from: 'proposals p JOIN actions a ON a.id = p.action_id JOIN incidents i ON i.id = a.incident_id',
  column: 'p.id',
  type: 'uuid',
  position: (row) => row.proposal_id,
};

export interface ProposalFilters {
  readonly state: readonly string[];
  readonly incidentId?: string | undefined;
}

/** Newest first. */
export async function listProposals(
  sql: Sql,
  readable: Readable,
  filters: ProposalFilters,
  request: PageRequest,
): Promise<Listed<Proposal>> {
  const conditions = createConditions();
  restrictTo(conditions, 'i.namespace', readable);
  if (filters.state.length > 0) conditions.add('p.state = ANY(?::text[])', filters.state);
  if (filters.incidentId !== undefined) conditions.add('i.id = ?::uuid', filters.incidentId);
  return readPage(sql, PROPOSALS, conditions, request, (rows) => withVotes(sql, rows));
}

/** One proposal with its incident's namespace, which decides who may see it. */
export async function readProposal(
  sql: Sql,
  id: string,
): Promise<{ readonly proposal: Proposal; readonly namespace: string | null } | undefined> {
  const rows = await sql.query<ProposalRow>(`${PROPOSAL_SELECT} WHERE p.id = $1`, [id]);
  const row = rows[0];
  const [proposal] = await withVotes(sql, rows);
  return row === undefined || proposal === undefined ? undefined : { proposal, namespace: row.incident_namespace };
}

/** All revisions of all proposals of the incident, newest first, by action. */
export async function proposalsOf(sql: Sql, incidentId: string): Promise<Map<string, Proposal[]>> {
  const rows = await sql.query<ProposalRow>(
    `${PROPOSAL_SELECT} WHERE a.incident_id = $1 ORDER BY p.created_at DESC, p.revision DESC`,
    [incidentId],
  );
  const proposals = await withVotes(sql, rows);
  return grouped(
    proposals,
    (proposal) => proposal.action.id,
    (proposal) => proposal,
  );
}

interface VoteRow {
  readonly proposal_id: string;
  readonly actor: string;
  readonly name: string | null;
  readonly decision: 'approve' | 'deny';
  readonly reason: string | null;
  readonly source: string;
  readonly at: Date;
}

async function withVotes(sql: Sql, rows: readonly ProposalRow[]): Promise<Proposal[]> {
  if (rows.length === 0) return [];
  const votes = await sql.query<VoteRow>(
    `SELECT v.proposal_id, v.actor, n.display_name AS name, v.decision, v.reason, v.source, v.at
     FROM approvals v LEFT JOIN principals n ON n.subject = v.actor
     WHERE v.proposal_id = ANY($1::uuid[]) ORDER BY v.at, v.id`,
    [rows.map((row) => row.proposal_id)],
  );
  const byProposal = grouped(votes, (vote) => vote.proposal_id, voteOf);
  return rows.map((row) => proposalOf(row, byProposal.get(row.proposal_id) ?? []));
}

function voteOf(row: VoteRow): Vote {
  return {
    by: person(row.actor, row.name),
    decision: row.decision,
    reason: row.reason,
    source: row.source,
    at: iso(row.at),
  };
}

function proposalOf(row: ProposalRow, votes: Vote[]): Proposal {
  const action = actionSummaryOf(row);
  return {
    id: row.proposal_id,
    revision: row.revision,
    incident: action.incident,
    action,
    digest: row.digest,
    state: row.proposal_state,
    voidReason: row.void_reason,
    quorum: row.quorum,
    votes,
    proposedBy: person(row.proposed_by, row.proposed_by_name),
    requestedBy: person(row.requested_by, row.requested_by_name),
    createdAt: iso(row.proposed_at),
    expiresAt: iso(row.expires_at),
    secondsLeft: row.seconds_left,
    settledAt: iso(row.settled_at),
    supersededBy: row.superseded_by,
    title: titleOf(row),
    ...contentOf(row.canonical),
    dryRun: facts(row.dry_run),
    gates: list(row.gates).map(gateOf),
    policyHash: row.proposal_policy_hash,
    canonical: row.canonical,
  };
}
