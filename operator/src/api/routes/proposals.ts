import { judgeAccess, readableBy } from '@hephaisto/core/principal/access';
import type { Role } from '@hephaisto/core/principal/service';
import { PROPOSAL_STATES } from '@hephaisto/core/proposal/machine';
import { Proposal } from '@hephaisto/core/report/action';
import { pageOf, Sha256 } from '@hephaisto/core/report/named';
import { z } from 'zod';
import { listProposals, readProposal } from '../../flow/9-report/proposals.ts';
import type { Authenticated } from '../auth/authenticate.ts';
import { defineRoute, type RouteContext } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';
import { manyOf, paging } from '../query.ts';
import { refusalProblem } from '../refusals.ts';
import { authorOf } from './incidents.ts';

const ById = z.object({ id: z.uuid() });
const Reason = z.string().trim().min(1).max(2000);

const DecisionAnswer = z
  .object({
    proposal: z.object({ id: z.uuid(), state: z.enum(PROPOSAL_STATES) }),
    votes: z.int().meta({ description: 'Approvals so far' }),
    quorum: z.int(),
  })
  .meta({ id: 'DecisionAnswer', description: 'The vote was taken; `state` says whether the proposal is still open' });

export function registerProposalRoutes(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'GET /api/v1/proposals', {
    summary: 'List proposals, newest first',
    tag: 'proposals',
    query: z.object({ state: manyOf(PROPOSAL_STATES), incidentId: z.uuid().optional(), ...paging }),
    answer: pageOf(Proposal, 'ProposalPage'),
    async handle({ query, caller }) {
      const { limit, cursor, ...filters } = query;
      const listed = await listProposals(deps.db, readableBy(caller), filters, { limit, cursor });
      if (listed.kind === 'refused') throw new ApiProblem(listed.reason, listed.message);
      return { status: 200, body: listed.page };
    },
  });
  defineRoute(context, 'GET /api/v1/proposals/:id', {
    summary: 'Read what exactly is proposed',
    tag: 'proposals',
    params: ById,
    answer: Proposal,
    async handle({ params, caller }) {
      const { proposal } = await locateProposal(context, params.id, caller, 'viewer');
      return { status: 200, body: proposal, headers: { etag: `"${proposal.digest}"` } };
    },
  });
  decisionRoute(
    context,
    'POST /api/v1/proposals/:id/approve',
    'approve',
    z.object({ digest: Sha256, reason: Reason.optional() }),
  );
  decisionRoute(context, 'POST /api/v1/proposals/:id/deny', 'deny', z.object({ digest: Sha256, reason: Reason }));
  defineRoute(context, 'POST /api/v1/proposals/:id/revise', {
    summary: 'Ask for a new revision, from fresh facts',
    tag: 'proposals',
    params: ById,
    body: z.object({ reason: Reason }),
    answer: Proposal,
    async handle({ params, body, caller }) {
      await locateProposal(context, params.id, caller, 'responder');
      const outcome = await deps.commands.revise({ ...authorOf(caller), proposalId: params.id, reason: body.reason });
      if (outcome.kind === 'refused') throw refusalProblem(outcome);
      const { proposal } = await locateProposal(context, outcome.proposalId, caller, 'viewer');
      return { status: 200, body: proposal };
    },
  });
}

function decisionRoute(
  context: RouteContext,
  key: 'POST /api/v1/proposals/:id/approve' | 'POST /api/v1/proposals/:id/deny',
  decision: 'approve' | 'deny',
  body: z.ZodType<{ digest: string; reason?: string | undefined }>,
): void {
  defineRoute(context, key, {
    summary: decision === 'approve' ? 'Vote for the proposal with this digest' : 'Deny the proposal with this digest',
    description:
      'Refused with 409 already-decided, already-voted, target-changed (with the delta) or digest-mismatch; 403 role-missing, self-approval or service-vote. Accounts of one person have one vote. Where two people must agree, a token approves only for the person who made it, and a session does not count beside the account that made its sign-in link.',
    tag: 'proposals',
    params: ById,
    body,
    answer: DecisionAnswer,
    async handle({ params, body: given, caller }) {
      await locateProposal(context, params.id, caller, 'approver');
      const outcome = await context.deps.commands.decide({
        ...authorOf(caller),
        proposalId: params.id,
        decision,
        digest: given.digest,
        ...(given.reason === undefined ? {} : { reason: given.reason }),
        ...(caller.tokenMadeBy === undefined ? {} : { tokenMadeBy: caller.tokenMadeBy }),
        ...(caller.linkMadeBy === undefined ? {} : { linkMadeBy: caller.linkMadeBy }),
      });
      if (outcome.kind === 'refused') throw refusalProblem(outcome);
      return {
        status: 200,
        body: { proposal: outcome.proposal, votes: outcome.votes, quorum: outcome.quorum },
      };
    },
  });
}

/** The proposal, if the caller may read its incident and holds the role there; one that may not be read is not found. */
async function locateProposal(
  context: RouteContext,
  id: string,
  caller: Authenticated,
  role: Role,
): Promise<{ readonly proposal: Proposal }> {
  const found = await readProposal(context.deps.db, id);
  const namespace = found?.namespace ?? undefined;
  if (found === undefined || judgeAccess(caller, 'viewer', namespace).kind === 'refused')
    throw new ApiProblem('proposal-not-found', `expected a proposal that you may read, found none for \`${id}\``);
  const verdict = judgeAccess(caller, role, namespace);
  if (verdict.kind === 'refused')
    throw new ApiProblem('role-missing', verdict.message, { details: { needed: role, namespace: namespace ?? null } });
  return found;
}
