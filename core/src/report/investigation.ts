import { z } from 'zod';
import { CERTAINTIES, EVIDENCE_REJECTIONS, FINDING_CATEGORIES } from '../finding/finding.ts';
import { INVESTIGATION_STATES } from '../investigation/investigator.ts';
import { Facts, Instant } from './named.ts';

/** One recorded read: what was asked, and the exact text that conclusions were drawn from. */
export const Step = z
  .object({
    id: z.uuid(),
    ordinal: z.int(),
    tool: z.string(),
    args: Facts,
    status: z
      .string()
      .meta({ description: 'ok, error, denied, skipped, timeout, unknown, or still requested or running' }),
    errorKind: z.string().nullable(),
    text: z.string().nullable().meta({ description: 'Redacted and digested; inert text, never markup' }),
    sha256: z.string().nullable(),
    rawBytes: z.int().nullable(),
    truncated: z.boolean(),
    tainted: z.boolean().meta({ description: 'The text addresses its reader; it was treated as data' }),
    rawAvailable: z.boolean(),
    requestedAt: Instant,
    finishedAt: Instant.nullable(),
  })
  .meta({ id: 'Step' });
export type Step = z.infer<typeof Step>;

/** One quotation; `accepted` says whether code found it in the step. */
export const Evidence = z
  .object({
    stepId: z.uuid().nullable(),
    citedStep: z.string(),
    excerpt: z.string(),
    accepted: z.boolean(),
    rejectReason: z.enum(EVIDENCE_REJECTIONS).nullable(),
  })
  .meta({ id: 'Evidence' });

/** A claim about the cause. A dropped one is kept and marked, so that nobody wonders what became of it. */
export const Finding = z
  .object({
    id: z.uuid(),
    ordinal: z.int(),
    category: z.enum(FINDING_CATEGORIES),
    statement: z.string(),
    certainty: z.enum(CERTAINTIES),
    rule: z.string().nullable().meta({ description: 'The rule that says so; null for a claim of a model' }),
    saidBy: z.enum(['rules', 'model']),
    cause: Facts.meta({ description: 'The cause as data; `kind` says which fields there are' }),
    primary: z.boolean(),
    status: z.enum(['grounded', 'dropped']),
    dropReason: z.string().nullable(),
    evidence: z.array(Evidence),
  })
  .meta({ id: 'Finding' });
export type Finding = z.infer<typeof Finding>;

/** What could not be read. */
export const GapReport = z
  .object({
    source: z.string(),
    query: z.string(),
    reason: z.string(),
    message: z.string(),
    wouldHaveTold: z.string(),
  })
  .meta({ id: 'Gap' });

/** Whether a model looked, which, what it took; if none looked, why: `not-configured` where there is none to ask. */
export const ModelUse = z
  .object({
    looked: z.boolean(),
    reason: z.string().meta({ description: 'concluded, waiting, under-way, or why no model concluded' }),
    message: z.string(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    calls: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    cachedTokens: z.int(),
    costUsd: z.number(),
    budgetUsd: z.number(),
    budgetLeftUsd: z.number(),
    latencyMs: z.int().nullable().meta({ description: 'From sending to the first byte, of the latest call' }),
    longestCallMs: z.int().nullable().meta({ description: 'The longest whole call' }),
    underWay: z.boolean().meta({ description: 'A call has been sent and is not answered yet' }),
  })
  .meta({ id: 'ModelUse' });
export type ModelUse = z.infer<typeof ModelUse>;

/** What a planner's call took, where a model was asked for the plan. */
export const PlannerUse = ModelUse.pick({
  provider: true,
  model: true,
  calls: true,
  inputTokens: true,
  outputTokens: true,
  cachedTokens: true,
  costUsd: true,
  latencyMs: true,
}).meta({ id: 'PlannerUse' });
export type PlannerUse = z.infer<typeof PlannerUse>;

/** One look at the incident, by rules or by a model. */
export const Investigation = z
  .object({
    id: z.uuid(),
    attempt: z.int(),
    cause: z.string().meta({ description: 'Why it was started: auto, reinvestigate, requeue …' }),
    model: ModelUse,
    investigator: z.string().meta({ description: 'Rules, or which model executor' }),
    state: z.enum(INVESTIGATION_STATES),
    endReason: z.string().nullable(),
    stepsUsed: z.int(),
    budgetSteps: z.int(),
    createdAt: Instant,
    startedAt: Instant.nullable(),
    endedAt: Instant.nullable(),
    steps: z.array(Step),
    findings: z.array(Finding),
    gaps: z.array(GapReport),
  })
  .meta({ id: 'Investigation' });
export type Investigation = z.infer<typeof Investigation>;

/** The plan that followed, or why there is none. */
export const PlanReport = z
  .object({
    id: z.uuid(),
    producer: z.string().meta({ description: 'rules, or planner where a model was asked' }),
    use: PlannerUse.nullable().meta({ description: 'Null where no model was asked for the plan' }),
    status: z.enum(['accepted', 'rejected', 'empty']),
    reason: z.string().nullable(),
    message: z.string().nullable(),
    /** What a person would run, most useful first. */
    commands: z.array(z.string()),
    createdAt: Instant,
  })
  .meta({ id: 'Plan' });
export type PlanReport = z.infer<typeof PlanReport>;
