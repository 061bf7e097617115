import { z } from 'zod';
import { ACTION_STATES } from '../action/machine.ts';
import { RISKS } from '../action/types.ts';
import { PROPOSAL_STATES } from '../proposal/machine.ts';
import { Facts, IncidentRef, Instant, ObjectName, PersonRef } from './named.ts';

/** One question that was asked before acting, with what was measured. */
export const Gate = z
  .object({
    gate: z.string(),
    verdict: z.string().meta({ description: 'pass, ask, deny or exempt' }),
    code: z.string(),
    message: z.string(),
    measured: Facts.nullable().meta({ description: 'What was seen, beside what was wanted' }),
  })
  .meta({ id: 'Gate' });
export type Gate = z.infer<typeof Gate>;

/** One field that differs, as the server's dry run showed it. Values are text; null where the field is absent. */
export const FieldDiff = z
  .object({ path: z.string(), from: z.string().nullable(), to: z.string().nullable() })
  .meta({ id: 'FieldDiff' });
export type FieldDiff = z.infer<typeof FieldDiff>;

export const Vote = z
  .object({
    by: PersonRef,
    decision: z.enum(['approve', 'deny']),
    reason: z.string().nullable(),
    source: z.string(),
    at: Instant,
  })
  .meta({ id: 'Vote' });
export type Vote = z.infer<typeof Vote>;

/** The action a proposal is about, without its history. */
export const ActionSummary = z
  .object({
    id: z.uuid(),
    incident: IncidentRef,
    type: z.string(),
    workload: ObjectName,
    target: ObjectName.extend({ uid: z.string() }).meta({ id: 'ActionTarget' }),
    params: Facts,
    risk: z.enum(RISKS),
    state: z.enum(ACTION_STATES),
    stateSince: Instant,
    mode: z.string().nullable(),
    decision: z.string().nullable(),
    decisionReasons: z.array(z.string()),
    policyHash: z.string().nullable(),
    createdAt: Instant,
    admittedAt: Instant.nullable(),
    executedAt: Instant.nullable(),
  })
  .meta({ id: 'ActionSummary' });
export type ActionSummary = z.infer<typeof ActionSummary>;

/** Exactly what is decided: frozen, with its digest. */
export const Proposal = z
  .object({
    id: z.uuid(),
    revision: z.int(),
    incident: IncidentRef,
    action: ActionSummary,
    digest: z.string(),
    state: z.enum(PROPOSAL_STATES),
    voidReason: z.string().nullable(),
    quorum: z.int(),
    votes: z.array(Vote),
    proposedBy: PersonRef,
    requestedBy: PersonRef.nullable(),
    createdAt: Instant,
    expiresAt: Instant,
    secondsLeft: z.int().nullable().meta({ description: 'Null once settled' }),
    settledAt: Instant.nullable(),
    supersededBy: z.uuid().nullable(),
    title: z.string(),
    diff: z.array(FieldDiff),
    byHand: z.array(z.string()).meta({ description: 'What a person would type to do the same' }),
    request: Facts.nullable().meta({
      description: 'The call that will be sent, without the values tested at the last moment',
    }),
    dryRun: Facts.nullable(),
    blastRadius: Facts.nullable(),
    undo: Facts.nullable(),
    gates: z.array(Gate),
    policyHash: z.string(),
    canonical: z.string().meta({ description: 'The exact text whose SHA-256 is the digest' }),
  })
  .meta({ id: 'Proposal' });
export type Proposal = z.infer<typeof Proposal>;

/** One call to the cluster, from before it was sent. */
export const Attempt = z
  .object({
    id: z.uuid(),
    phase: z.enum(['dry_run', 'execute', 'removal', 'rollback']),
    n: z.int(),
    request: Facts,
    outcome: z.string(),
    httpStatus: z.int().nullable(),
    message: z.string().nullable(),
    gates: z.array(Gate),
    readback: z.string().nullable(),
    readbackAt: Instant.nullable(),
    kubernetesEvent: z.string().nullable(),
    startedAt: Instant,
    finishedAt: Instant.nullable(),
  })
  .meta({ id: 'Attempt' });
export type Attempt = z.infer<typeof Attempt>;

export const Predicate = z
  .object({
    predicate: z.string(),
    verdict: z.string().meta({ description: 'passed, failed, inconclusive or dropped' }),
    code: z.string(),
    message: z.string(),
    measured: Facts.nullable(),
  })
  .meta({ id: 'Predicate' });
export type Predicate = z.infer<typeof Predicate>;

/** One check after acting; `result` is null until it has run. */
export const Verification = z
  .object({
    subject: z.enum(['action', 'rollback']),
    attempt: z.int(),
    question: z.string(),
    dueAt: Instant,
    ranAt: Instant.nullable(),
    result: z.enum(['Passed', 'Failed', 'Inconclusive']).nullable(),
    predicates: z.array(Predicate),
  })
  .meta({ id: 'Verification' });
export type Verification = z.infer<typeof Verification>;

/** An undo whose last call certainly did not apply, and which is tried again. */
export const UndoRetry = z
  .object({
    retries: z.int().meta({ description: 'Refusals so far' }),
    since: Instant.meta({ description: 'Time of the first refusal' }),
    nextAt: Instant,
    reason: z.string(),
    message: z.string(),
  })
  .meta({ id: 'UndoRetry' });
export type UndoRetry = z.infer<typeof UndoRetry>;

/** An action with all that was decided, sent and measured. */
export const Action = ActionSummary.extend({
  proposals: z.array(Proposal),
  attempts: z.array(Attempt),
  verifications: z.array(Verification),
  inverse: Facts.nullable(),
  preState: Facts.nullable(),
  postState: Facts.nullable(),
  failing: z
    .object({ failures: z.int(), message: z.string(), retryAt: Instant.nullable(), deadLetterAt: Instant.nullable() })
    .nullable()
    .meta({ description: 'Set while work on the action keeps failing, and after it was given up for that' }),
  undoRetry: UndoRetry.nullable().meta({ description: 'Set while a refused undo is being retried' }),
}).meta({ id: 'Action' });
export type Action = z.infer<typeof Action>;
