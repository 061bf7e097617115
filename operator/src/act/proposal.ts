import { blastRadius, byHandCommands, describeAction } from '@hephaisto/core/action/catalogue';
import { evictionCommand } from '@hephaisto/core/action/references';
import type { PodRemoval } from '@hephaisto/core/action/rollback-workload/stuck-pods';
import type { SpecChange } from '@hephaisto/core/action/spec-diff';
import type { Inverse, KubeWrite } from '@hephaisto/core/action/types';
import { canonicalJson } from '@hephaisto/core/canonical-json';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import type { GateResult } from '@hephaisto/policy/gate';
import { z } from 'zod';
import type { ActionRow } from './action-row.ts';
import { sha256 } from './digest.ts';
import type { DryRun } from './dry-run.ts';
import type { Judgement, SpecHashes } from './judge.ts';

/** What a proposal will say, before its number and its end are known. */
export interface ProposalDraft {
  readonly content: Readonly<Record<string, unknown>>;
  readonly hashes: SpecHashes;
  readonly policyHash: string;
  readonly gates: readonly GateResult[];
  readonly quorum: 1 | 2;
  readonly diff: readonly SpecChange[];
  readonly lastsMs: number;
  readonly inverse: Inverse;
}

/** Freezes what was judged and dry-run into what a person will decide. */
export function draftProposal(
  action: ActionRow,
  judged: Judgement & { readonly hashes: SpecHashes },
  dry: DryRun & { readonly kind: 'accepted' },
): ProposalDraft {
  const { request, decision, loaded, hashes } = judged;
  const replicas = judged.input.workload.known ? judged.input.workload.value.replicas : 0;
  const content = {
    version: 1,
    action: action.id,
    incident: action.incidentId,
    type: request.type,
    params: request.params,
    workload: request.workload,
    target: request.target,
    sentence: describeAction(request),
    byHand: [
      ...byHandCommands(request),
      ...judged.facts.removes.map(({ name }) =>
        evictionCommand({ kind: 'Pod', namespace: request.target.namespace, name }),
      ),
    ],
    removes: judged.facts.removes,
    request: withoutTests(dry.write),
    diff: dry.diff,
    inverse: dry.inverse,
    blastRadius: blastRadius(request, replicas),
    asks: decision.gates
      .filter(({ verdict }) => verdict === 'ask')
      .map(({ gate, code, message }) => ({ gate, code, message })),
    quorum: decision.quorum,
    policyHash: loaded.hash,
    specSha256: hashes.spec,
    basisSha256: hashes.basis,
  };
  return {
    content,
    hashes,
    policyHash: loaded.hash,
    gates: decision.gates,
    quorum: decision.quorum,
    diff: dry.diff,
    lastsMs: loaded.policy.approvalTimeout,
    inverse: dry.inverse,
  };
}

export interface InsertedProposal {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
  readonly expiresAt: Date;
}

/** Writes the next revision; its text carries its own number and end, so that no two revisions ever share a digest. */
export async function insertProposal(
  tx: Sql,
  id: string,
  actionId: string,
  draft: ProposalDraft,
  requestedBy?: string,
): Promise<InsertedProposal> {
  const [next] = await tx.query<{ revision: number; expires_at: Date }>(
    `SELECT (SELECT coalesce(max(revision), 0) + 1 FROM proposals WHERE action_id = $1)::int AS revision,
       date_trunc('milliseconds', app_now() + $2 * interval '1 millisecond') AS expires_at`,
    [actionId, draft.lastsMs],
  );
  if (next === undefined) throw new Error('expected the next revision, found no row; this is a bug in hephaisto');
  const canonical = canonicalJson({ ...draft.content, revision: next.revision, expiresAt: next.expires_at });
  const digest = sha256(canonical);
  await tx.execute(
    `INSERT INTO proposals (id, action_id, revision, canonical, digest, dry_run, target_spec_sha256, policy_hash, gates, quorum, state,
       proposed_by, requested_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9::jsonb, $10, 'Open', $11, $12, $13)`,
    [
      id,
      actionId,
      next.revision,
      canonical,
      digest,
      cleanJsonText({ accepted: true, diff: draft.diff, shown: draft.hashes.fields }),
      draft.hashes.spec,
      draft.policyHash,
      cleanJsonText(draft.gates),
      draft.quorum,
      SERVICE_PRINCIPALS.policy,
      requestedBy ?? null,
      next.expires_at,
    ],
  );
  return { id, revision: next.revision, digest, expiresAt: next.expires_at };
}

export interface ProposalRow {
  readonly id: string;
  readonly action_id: string;
  readonly incident_id: string;
  readonly revision: number;
  readonly digest: string;
  readonly canonical: string;
  readonly target_spec_sha256: string;
  readonly policy_hash: string;
  readonly gates: readonly GateResult[];
  readonly dry_run: { readonly shown?: Readonly<Record<string, unknown>> } | null;
  readonly quorum: number;
  readonly state: 'Open' | 'Approved' | 'Denied' | 'Expired' | 'Superseded' | 'Void';
  readonly void_reason: string | null;
  readonly proposed_by: string;
  readonly settled_at: Date | null;
  readonly over: boolean;
}

const SELECT = `SELECT p.id, p.action_id, a.incident_id, p.revision, p.digest, p.canonical, p.target_spec_sha256, p.policy_hash, p.gates, p.dry_run,
    p.quorum, p.state, p.void_reason, p.proposed_by, p.settled_at, p.expires_at <= app_now() AS over
  FROM proposals p JOIN actions a ON a.id = p.action_id`;

export async function readProposalRow(sql: Sql, id: string, lock = false): Promise<ProposalRow | undefined> {
  const [row] = await sql.query<ProposalRow>(`${SELECT} WHERE p.id = $1 ${lock ? 'FOR UPDATE OF p' : ''}`, [id]);
  return row;
}

/** The newest revision of the action, in whatever state. */
export async function latestProposal(sql: Sql, actionId: string): Promise<ProposalRow | undefined> {
  const [row] = await sql.query<ProposalRow>(`${SELECT} WHERE p.action_id = $1 ORDER BY p.revision DESC LIMIT 1`, [
    actionId,
  ]);
  return row;
}

/** Settles an open proposal; false when somebody else has settled it before. */
export async function settleProposal(
  tx: Sql,
  id: string,
  state: Exclude<ProposalRow['state'], 'Open'>,
  reason?: string,
): Promise<boolean> {
  const settled = await tx.execute(
    `UPDATE proposals SET state = $2, void_reason = coalesce($3, void_reason), settled_at = app_now() WHERE id = $1 AND state = 'Open'`,
    [id, state, reason ?? null],
  );
  return settled === 1;
}

/** The people for a proposal, each by one account, and the gates that it showed asking: what an approval covers. */
export async function approvalOf(
  sql: Sql,
  proposal: ProposalRow,
): Promise<{ readonly by: readonly string[]; readonly covers: readonly GateResult['gate'][] }> {
  const rows = await sql.query<{ actor: string }>(
    `SELECT actor FROM (SELECT DISTINCT ON (person_of(actor)) actor, at, id FROM approvals
       WHERE proposal_id = $1 AND decision = 'approve' AND subject_sha256 = $2 ORDER BY person_of(actor), at, id) v ORDER BY at, id`,
    [proposal.id, proposal.digest],
  );
  return {
    by: rows.map(({ actor }) => actor),
    covers: proposal.gates.filter(({ verdict }) => verdict === 'ask').map(({ gate }) => gate),
  };
}

const frozen = z.object({
  basisSha256: z.string(),
  inverse: z.unknown().optional(),
  removes: z.array(z.object({ name: z.string(), uid: z.string() })).default([]),
});

/** Pods that the frozen text names for removal. */
export function removesOf(proposal: Pick<ProposalRow, 'canonical'>): readonly PodRemoval[] {
  return frozen.parse(JSON.parse(proposal.canonical)).removes;
}

/** Hash of the fields that the finding rests on, from the frozen text. */
export function basisOf(proposal: Pick<ProposalRow, 'canonical'>): string {
  return frozen.parse(JSON.parse(proposal.canonical)).basisSha256;
}

/** Values that are tested belong to the moment of the call; a person decides about the change. */
function withoutTests(write: KubeWrite): KubeWrite {
  if (write.verb !== 'patch') return write;
  return {
    ...write,
    patch: write.patch.filter(({ op, path }) => op !== 'test' && !path.startsWith('/metadata/annotations')),
  };
}
