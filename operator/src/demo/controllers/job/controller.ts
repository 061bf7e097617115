import {
  type ControllerContext,
  elapsedSince,
  type Running,
  removeIfPresent,
  runningWith,
  withStatus,
} from '../runtime/context.ts';
import { createPod } from '../runtime/create-pod.ts';
import { deletePod } from '../runtime/delete-pod.ts';
import { again, createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import { findCondition } from '../shape/conditions.ts';
import { controlledBy, controllerOf, keyOf, splitKey } from '../shape/ownership.ts';
import type { Pod } from '../shape/pod.ts';
import { podCondition } from '../shape/pod-facts.ts';
import { JOBS, PODS } from '../shape/resources.ts';
import { timestamp } from '../shape/timestamp.ts';
import type { Job } from '../shape/workloads.ts';
import { decideJob, finalCondition, hasFailed, type JobDecision, type JobFacts } from './decide-job.ts';
import { type FailureStreak, NO_FAILURES, nextStreak } from './job-backoff.ts';

const COMPONENT = 'job-controller';

/** What the controller remembers of a Job: which finished pods its status already counts, and how its pods have failed lately. */
interface Ledger {
  readonly counted: Set<string>;
  streak: FailureStreak;
}

/** Runs Jobs to their end: pods in parallel, new ones for failed ones with growing delays, and the verdict. */
export function startJobController(context: ControllerContext): Running {
  const { store, pace } = context;
  const ledgers = new Map<string, Ledger>();
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => reconcile(context, ledgers, key),
    onError: (key, error) => context.onError(COMPONENT, key, error),
  });
  const unsubscribe = [
    store.subscribe(JOBS, ({ type, object }) => {
      if (type === 'DELETED') {
        ledgers.delete(object.metadata.uid ?? '');
        context.instants.forget(`${object.metadata.uid}/`);
      } else queue.add(keyOf(object));
    }),
    store.subscribe(PODS, ({ object }) => {
      const owner = controllerOf(object);
      if (owner?.kind === 'Job') queue.add(`${object.metadata.namespace}/${owner.name}`);
    }),
  ];
  for (const job of store.list(JOBS)) queue.add(keyOf(job));
  return runningWith(queue, unsubscribe);
}

function reconcile(context: ControllerContext, ledgers: Map<string, Ledger>, key: string): Outcome {
  const { store } = context;
  const { namespace, name } = splitKey(key);
  const job = store.get(JOBS, namespace, name) as Job | undefined;
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) return SETTLED;
  if (finalCondition(job) !== undefined) return expire(context, job);
  const uid = job.metadata.uid ?? '';
  const ledger = ledgers.get(uid) ?? { counted: new Set<string>(), streak: NO_FAILURES };
  ledgers.set(uid, ledger);

  const facts = gather(context, job, ledger);
  const decision = decideJob(facts);
  ledger.streak = facts.streak;
  for (const pod of [...facts.newlySucceeded, ...facts.newlyFailed, ...decision.remove])
    ledger.counted.add(pod.metadata.uid ?? '');
  for (const status of decision.statuses) store.update(JOBS, withStatus(job, status), 'status');
  carryOut(context, job, decision);
  announce(context, job, decision);
  return decision.lookAgainIn === undefined ? SETTLED : again(decision.lookAgainIn);
}

function gather(context: ControllerContext, job: Job, ledger: Ledger): JobFacts {
  const { store, pace } = context;
  const now = pace.now();
  const pods = (store.list(PODS, job.metadata.namespace) as readonly Pod[]).filter((pod) => controlledBy(pod, job));
  const fresh = pods.filter((pod) => !ledger.counted.has(pod.metadata.uid ?? ''));
  const newlySucceeded = fresh.filter((pod) => pod.status?.phase === 'Succeeded');
  const newlyFailed = fresh.filter((pod) => hasFailed(pod, job));
  const finished = (pod: Pod): number => finishedAt(context, pod);
  const streak = nextStreak(ledger.streak, newlySucceeded.map(finished), newlyFailed.map(finished));
  const start = job.status?.startTime;
  return {
    job,
    pods,
    newlySucceeded,
    newlyFailed,
    streak,
    now,
    stamp: timestamp(now),
    sinceStart:
      start === undefined ? 0 : elapsedSince(pace, context.instants.since(`${job.metadata.uid}/start`, start, now)),
    sinceFailure: streak.lastFailureAt === undefined ? 0 : elapsedSince(pace, streak.lastFailureAt),
  };
}

function finishedAt({ instants, pace }: ControllerContext, pod: Pod): number {
  const ends = (pod.status?.containerStatuses ?? []).map((status) => status.state?.terminated?.finishedAt);
  const last = ends.every((end) => end !== undefined) ? [...ends].sort().at(-1) : undefined;
  const stamp = last ?? podCondition(pod, 'Ready')?.lastTransitionTime ?? timestamp(pace.now());
  return instants.since(`${pod.metadata.uid}/finished`, stamp, pace.now());
}

function carryOut(context: ControllerContext, job: Job, decision: JobDecision): void {
  for (const pod of decision.remove) {
    deletePod(context.store, pod);
    const message = `Deleted pod: ${pod.metadata.name}`;
    context.events.record(COMPONENT, job, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }
  const uid = job.metadata.uid ?? '';
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': job.metadata.name,
    'controller-uid': uid,
    'job-name': job.metadata.name,
  };
  for (let made = 0; made < decision.create; made++)
    createPod(context, { component: COMPONENT, owner: job, template: job.spec.template, labels });
}

function announce({ events }: ControllerContext, job: Job, decision: JobDecision): void {
  const { finished } = decision;
  if (finished?.type === 'Complete')
    events.record(COMPONENT, job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
  else if (finished !== undefined)
    events.record(COMPONENT, job, {
      type: 'Warning',
      reason: finished.reason ?? '',
      message: finished.message ?? '',
    });
  const before = findCondition(job.status?.conditions ?? [], 'Suspended')?.status ?? 'False';
  const after = findCondition(decision.statuses.at(-1)?.conditions ?? [], 'Suspended')?.status ?? 'False';
  if (before === after) return;
  const suspended = after === 'True';
  events.record(COMPONENT, job, {
    type: 'Normal',
    reason: suspended ? 'Suspended' : 'Resumed',
    message: suspended ? 'Job suspended' : 'Job resumed',
  });
}

/** A finished Job goes when its time to live has passed, and its pods after it. */
function expire({ store, pace, instants }: ControllerContext, job: Job): Outcome {
  const seconds = job.spec.ttlSecondsAfterFinished;
  const stamp = finalCondition(job)?.lastTransitionTime;
  if (seconds === undefined || stamp === undefined) return SETTLED;
  const waited = elapsedSince(pace, instants.since(`${job.metadata.uid}/end`, stamp, pace.now()));
  if (waited < seconds * 1000) return again(seconds * 1000 - waited);
  removeIfPresent(store, JOBS, job);
  return SETTLED;
}
