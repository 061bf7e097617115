import { ACTION_KINDS, byHandCommands, describeAction, parseAction } from '../action/catalogue.ts';
import type { AnyActionRequest } from '../action/types.ts';
import type { ObjectRef } from '../facts/facts.ts';
import type { Cause } from '../finding/finding.ts';
import { commandsFor } from '../plan/commands.ts';
import { none, type Plan, type PlannableFinding } from '../plan/plan.ts';
import { pausedMessage } from '../plan/propose.ts';
import type { NoPlanReason, PlanBounds } from '../plan/vocabulary.ts';
import { type PlannerAnswer, plannerAnswer } from './plan-answer.ts';

/**
 * What a planner's text is worth. Refused whole, with the reason, when it is no answer of the schema, cites no checked finding, is aimed at
 * what that finding does not name, or goes beyond the finding or the bounds. Never repaired: a guess at what was meant would be ours.
 */
export function judgePlan(text: string, findings: readonly PlannableFinding[], bounds: PlanBounds): Plan {
  const parsed = parseAnswer(text);
  if (parsed.kind === 'refused') return refuse('invalid-action', parsed.message, findings, bounds);
  const { decision, because, act } = parsed.answer;
  if (decision === 'none' || act === undefined)
    return decision === 'none' && act === undefined
      ? refuse('planner-chose-none', `the planner proposes nothing: ${because}`, findings, bounds)
      : refuse(
          'invalid-action',
          'expected an act with the decision `act` and none with `none`, found otherwise',
          findings,
          bounds,
        );
  const cited = findings.find((finding) => finding.id === act.finding);
  if (cited === undefined || cited.status !== 'grounded')
    return refuse('grounding-rejected', `expected a checked finding, found \`${act.finding}\``, findings, bounds);
  if (cited.certainty !== 'proven' && cited.certainty !== 'likely')
    return refuse(
      'certainty-too-low',
      `expected a finding that is at least likely, found one that is ${cited.certainty}`,
      findings,
      bounds,
    );
  return planAct(act, cited, findings, bounds);
}

type Act = NonNullable<PlannerAnswer['act']>;

function parseAnswer(
  text: string,
): { readonly kind: 'ok'; readonly answer: PlannerAnswer } | { readonly kind: 'refused'; readonly message: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'refused', message: 'expected one JSON object from the planner, found text that is none' };
  }
  const parsed = plannerAnswer.safeParse(value);
  if (parsed.success) return { kind: 'ok', answer: parsed.data };
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'answer'}: ${issue.message}`);
  return { kind: 'refused', message: `the planner's answer is not in the catalogue: ${issues.slice(0, 3).join('; ')}` };
}

function planAct(act: Act, cited: PlannableFinding, findings: readonly PlannableFinding[], bounds: PlanBounds): Plan {
  const target = namedIn(cited.cause).find(
    (ref) => ref.kind === act.target.kind && ref.namespace === act.target.namespace && ref.name === act.target.name,
  );
  const shown = `${act.target.kind} ${act.target.namespace}/${act.target.name}`;
  if (target === undefined)
    return refuse('target-not-cited', `expected a target that the finding names, found \`${shown}\``, findings, bounds);
  if (target.uid === undefined || target.uid === '')
    return refuse(
      'target-not-observed',
      `expected a target that a step observed, found \`${shown}\` without a uid`,
      findings,
      bounds,
    );
  const fit = fitOf(act, cited.cause, bounds);
  if (fit !== undefined) return refuse(fit.reason, fit.message, findings, bounds);
  const workload = workloadIn(cited.cause) ?? target;
  const parsed = parseAction(act.type, { workload, target: { ...target, uid: target.uid } }, act.params);
  if (parsed.kind === 'refused') return refuse('invalid-action', parsed.message, findings, bounds);
  return accepted(parsed.request, cited);
}

function accepted(request: AnyActionRequest, cited: PlannableFinding): Plan {
  return {
    kind: 'action',
    request,
    risk: ACTION_KINDS[request.type].risk,
    citedFindings: [cited.id],
    reason: 'planned',
    message: describeAction(request),
    commands: byHandCommands(request),
  };
}

/** Objects that a cause names. */
function namedIn(cause: Cause): readonly ObjectRef[] {
  const workload = workloadIn(cause);
  const pod = 'pod' in cause ? [cause.pod] : [];
  const job = cause.kind === 'job-failed' ? [cause.job] : [];
  return [...(workload === undefined ? [] : [workload]), ...pod, ...job];
}

function workloadIn(cause: Cause): ObjectRef | undefined {
  return 'workload' in cause ? cause.workload : undefined;
}

type Misfit = { readonly reason: NoPlanReason; readonly message: string };

/** Actions that take effect by a new pod template, and so not at all while the rollout is paused. */
const CHANGES_TEMPLATE: Readonly<Record<Act['type'], boolean>> = {
  RollbackWorkload: true,
  PatchResources: true,
  RolloutRestart: true,
  RestartPod: false,
  DeleteStuckJob: false,
  ScaleWorkload: false,
};

/** Whether the act follows from the cause, and stays within what it and the bounds allow. */
function fitOf(act: Act, cause: Cause, bounds: PlanBounds): Misfit | undefined {
  const paused = 'paused' in cause ? cause.paused : undefined;
  if (paused !== undefined && CHANGES_TEMPLATE[act.type]) {
    return { reason: 'rollout-paused', message: pausedMessage(paused) };
  }
  switch (act.type) {
    case 'RollbackWorkload':
      if (cause.kind !== 'rollout-change') return doesNotFollow(act, cause);
      return act.params.fromRevision === cause.revision && act.params.toRevision === cause.previousRevision
        ? undefined
        : {
            reason: 'out-of-bounds',
            message: `expected revision ${cause.revision} back to ${cause.previousRevision}, found others`,
          };
    case 'RestartPod':
      return cause.kind === 'stale-local-state' ? undefined : doesNotFollow(act, cause);
    case 'PatchResources':
      return cause.kind === 'memory-limit-too-low' ? limitFit(act.params, cause, bounds) : doesNotFollow(act, cause);
    case 'DeleteStuckJob':
      return cause.kind === 'job-failed' && cause.detail === 'stuck' ? undefined : doesNotFollow(act, cause);
    case 'RolloutRestart':
      return cause.kind === 'crash-application' ? undefined : doesNotFollow(act, cause);
    case 'ScaleWorkload':
      if (cause.kind !== 'crash-application') return doesNotFollow(act, cause);
      return act.params.toReplicas <= 2 * act.params.fromReplicas
        ? undefined
        : { reason: 'out-of-bounds', message: 'expected at most twice the replicas, found more' };
  }
}

function limitFit(
  params: Extract<Act, { type: 'PatchResources' }>['params'],
  cause: Extract<Cause, { kind: 'memory-limit-too-low' }>,
  bounds: PlanBounds,
): Misfit | undefined {
  const { container, memoryLimitBytes, ...others } = params;
  if (container !== cause.container || memoryLimitBytes === undefined || Object.keys(others).length > 0)
    return {
      reason: 'out-of-bounds',
      message: `expected the memory limit of ${cause.container} alone, found more or another`,
    };
  const most = Math.min(bounds.memoryMaxBytes, cause.limitBytes * bounds.memoryMaxFactor);
  return memoryLimitBytes > cause.limitBytes && memoryLimitBytes <= most
    ? undefined
    : {
        reason: 'out-of-bounds',
        message: `expected a limit above ${cause.limitBytes} and at most ${most} bytes, found ${memoryLimitBytes}`,
      };
}

function doesNotFollow(act: Act, cause: Cause): Misfit {
  return { reason: 'not-from-finding', message: `${act.type} does not repair a cause of kind ${cause.kind}` };
}

function refuse(
  reason: NoPlanReason,
  message: string,
  findings: readonly PlannableFinding[],
  bounds: PlanBounds,
): Plan {
  const primary = findings.find((finding) => finding.primary && finding.status === 'grounded');
  return none(reason, message, {
    findings: primary === undefined ? [] : [primary.id],
    commands: primary === undefined ? [] : commandsFor(primary.cause, bounds),
  });
}

/** What a planner is told: checked findings and nothing else of the cluster. */
export function findingsText(findings: readonly PlannableFinding[]): string {
  return findings
    .filter((finding) => finding.status === 'grounded' && finding.cause.kind !== 'refuted')
    .map((finding) =>
      JSON.stringify({
        id: finding.id,
        primary: finding.primary,
        certainty: finding.certainty,
        statement: finding.statement,
        cause: finding.cause,
      }),
    )
    .join('\n');
}
