import { z } from 'zod';
import { CERTAINTIES } from '../finding/finding.ts';
import {
  ESCALATION_REASONS,
  INCIDENT_STATES,
  RESOLUTION_SOURCES,
  ROLLBACK_SUB_REASONS,
  SUPPRESSED_REASONS,
} from '../incident/machine.ts';
import { SEVERITIES, SIGNAL_KINDS } from '../signal/kind.ts';
import { Action, Proposal } from './action.ts';
import { Investigation, PlanReport } from './investigation.ts';
import { Facts, IncidentRef, Instant, PersonRef } from './named.ts';
import { RECOVERY_STATES } from './recovery.ts';
import { Signal } from './signal.ts';

/** The open or latest proposal, as much as a list shows. */
export const ProposalBrief = z
  .object({
    id: z.uuid(),
    revision: z.int(),
    digest: z.string(),
    state: z.string(),
    type: z.string(),
    title: z.string(),
    risk: z.string(),
    quorum: z.int(),
    approvals: z.int(),
    expiresAt: Instant,
    secondsLeft: z.int().nullable(),
  })
  .meta({ id: 'ProposalBrief' });

/** What the investigation concluded, in one word and one sentence. */
export const Verdict = z
  .object({
    certainty: z.enum(CERTAINTIES),
    statement: z.string(),
    findingId: z.uuid().nullable(),
    rule: z.string().nullable(),
    evidence: z.int().meta({ description: 'Accepted quotations' }),
    gaps: z.int().meta({ description: 'Things that could not be read' }),
  })
  .meta({ id: 'Verdict' });

/** One row of the list, and the head of the report. Ages are seconds by the database's clock at the time of the answer. */
export const IncidentSummary = z
  .object({
    id: z.uuid(),
    number: z.int().meta({ description: 'In the order of opening; some numbers are never given' }),
    version: z.int().meta({ description: 'Grows with each event' }),
    cluster: z.object({ id: z.string(), name: z.string(), known: z.boolean() }).meta({ id: 'ClusterRef' }),
    kind: z.enum(SIGNAL_KINDS),
    title: z.string(),
    severity: z.enum(SEVERITIES),
    state: z.enum(INCIDENT_STATES),
    stateSince: Instant,
    secondsInState: z.int(),
    ageSeconds: z.int(),
    open: z.boolean(),
    suppressedReason: z.enum(SUPPRESSED_REASONS).nullable(),
    escalationReason: z.enum(ESCALATION_REASONS).nullable(),
    rollbackSubReason: z.enum(ROLLBACK_SUB_REASONS).nullable(),
    resolutionSource: z.enum(RESOLUTION_SOURCES).nullable(),
    resolutionNote: z.string().nullable(),
    namespace: z.string().nullable(),
    ownerKind: z.string().nullable(),
    ownerName: z.string().nullable(),
    nodeName: z.string().nullable(),
    occurrences: z.int(),
    signalCount: z.int(),
    firing: z.int().meta({ description: 'Signals that are firing now' }),
    firstSignalAt: Instant,
    lastSignalAt: Instant,
    quietSince: Instant.nullable(),
    recovery: z
      .object({ state: z.enum(RECOVERY_STATES), since: Instant.nullable() })
      .nullable()
      .meta({
        description: 'How the workload is doing while the incident is open; `since` when no signal fires any more',
      }),
    openedAt: Instant,
    closedAt: Instant.nullable(),
    acknowledgedBy: PersonRef.nullable(),
    acknowledgedAt: Instant.nullable(),
    assignedTo: PersonRef.nullable(),
    isSelf: z.boolean(),
    isMeta: z.boolean(),
    verdict: Verdict.nullable(),
    proposal: ProposalBrief.nullable(),
    nextStep: z.string().meta({ description: 'One sentence: what happens next, or who has it' }),
  })
  .meta({ id: 'IncidentSummary' });
export type IncidentSummary = z.infer<typeof IncidentSummary>;

/** One thing that happened or was said. */
export const IncidentEvent = z
  .object({
    id: z.int(),
    seq: z.int(),
    kind: z.string(),
    edge: z.string().nullable(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    reason: z.string().nullable(),
    actor: PersonRef,
    origin: z.string(),
    data: Facts,
    at: Instant,
  })
  .meta({ id: 'IncidentEvent' });
export type IncidentEvent = z.infer<typeof IncidentEvent>;

export const Notification = z
  .object({
    id: z.uuid(),
    route: z.string(),
    channel: z.string(),
    recipient: z.string(),
    status: z.string(),
    attempts: z.int(),
    errorKind: z.string().nullable(),
    suppressedReason: z.string().nullable(),
    eventSeq: z.int().nullable(),
    createdAt: Instant,
    deliveredAt: Instant.nullable(),
  })
  .meta({ id: 'Notification' });
export type Notification = z.infer<typeof Notification>;

/** Readiness and restarts of the workload at one moment. */
export const Sample = z
  .object({ at: Instant, desired: z.int(), ready: z.int(), restarts: z.int() })
  .meta({ id: 'Sample' });
export type Sample = z.infer<typeof Sample>;

/** One change of the workload that the primary finding cites. */
export const Change = z
  .object({
    at: Instant.nullable(),
    what: z.string(),
    path: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    decisive: z.boolean(),
  })
  .meta({ id: 'Change' });
export type Change = z.infer<typeof Change>;

/** Another explanation that was looked at, and how it came out. */
export const Alternative = z
  .object({ rule: z.string().nullable(), statement: z.string(), certainty: z.enum(CERTAINTIES), dropped: z.boolean() })
  .meta({ id: 'Alternative' });

/** How long the incident was in each state, from its events. */
export const StateSpan = z
  .object({ state: z.string(), from: Instant, to: Instant.nullable(), seconds: z.int() })
  .meta({ id: 'StateSpan' });
export type StateSpan = z.infer<typeof StateSpan>;

/** Everything a person or a program reads of one incident. */
export const IncidentReport = IncidentSummary.extend({
  ownerChain: z.array(z.string()),
  fingerprint: z.string(),
  correlationKey: z.string().nullable(),
  traceId: z.string().nullable().meta({ description: 'Trace of the delivery or observation that opened it' }),
  signals: z.array(Signal).meta({ description: 'The newest; `signalCount` counts all' }),
  events: z.array(IncidentEvent).meta({ description: 'The newest, in their order' }),
  eventCount: z.int().nonnegative().meta({ description: 'Of all events, those that are not listed included' }),
  states: z.array(StateSpan),
  investigations: z.array(Investigation).meta({ description: 'Newest first' }),
  alternatives: z.array(Alternative),
  changes: z.array(Change),
  plan: PlanReport.nullable(),
  currentProposal: Proposal.nullable().meta({ description: 'The newest revision' }),
  actions: z.array(Action),
  notifications: z.array(Notification),
  samples: z.array(Sample),
  recurrenceOf: IncidentRef.nullable(),
  recurrences: z.array(IncidentRef),
  causedBy: IncidentRef.nullable(),
  causes: z.array(IncidentRef).meta({ description: 'Incidents whose cause is this one' }),
  absorbedBy: IncidentRef.nullable(),
  absorbed: z.array(IncidentRef),
  changedSince: z
    .object({ version: z.int(), events: z.array(IncidentEvent) })
    .nullable()
    .meta({ description: 'Present when the request names the version it has seen' }),
}).meta({ id: 'IncidentReport' });
export type IncidentReport = z.infer<typeof IncidentReport>;
