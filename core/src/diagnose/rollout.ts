import type { ContainerStatusFact, PodFact, RevisionFact } from '../facts/facts.ts';
import { diffTemplates } from '../facts/template-diff.ts';
import type { FieldChange } from '../finding/finding.ts';
import type { Symptom } from '../finding/symptom.ts';
import { type Decisive, findDecisive } from './decisive.ts';
import { effectOf } from './field-effects.ts';
import { type Trouble, troubleOf } from './trouble.ts';
import { type CaseView, revisionOf } from './view.ts';

/** The comparison of a sick newest revision with the last one that worked. */
export interface RolloutComparison {
  readonly current: RevisionFact;
  /** The revision to go back to: the newest older one that works, else the one before. */
  readonly previous: RevisionFact;
  readonly changes: readonly FieldChange[];
  readonly symptom: Symptom;
  readonly sick: readonly Trouble[];
  /** Every pod of the new revision that has had time to show it fails. */
  readonly allFail: boolean;
  /** How the previous revision is known to have worked; absent where it is not. */
  readonly healthyBefore: 'ready-now' | 'ran-without-trouble' | undefined;
  readonly decisive: Decisive | undefined;
}

export type RolloutVerdict =
  | { readonly kind: 'explains'; readonly comparison: RolloutComparison }
  | {
      readonly kind: 'refuted';
      readonly reason:
        | 'only-revision'
        | 'nothing-changed'
        | 'cannot-cause'
        | 'old-fails-too'
        | 'new-also-healthy'
        | 'long-since';
      readonly answer: string;
      readonly revision?: number;
    }
  | { readonly kind: 'unasked' };

/** A revision that served this long before the fault is no suspect unless the one before still works beside it. */
const SUSPECT_FOR_MS = 60 * 60_000;

/** Whether the newest revision brought the trouble. */
export function judgeRollout(view: CaseView): RolloutVerdict {
  const history = view.history?.value ?? [];
  const pods = view.pods?.value ?? [];
  const current = history[0];
  if (current === undefined || view.troubles.length === 0) return { kind: 'unasked' };
  const older = history.slice(1);
  if (older.length === 0) {
    return {
      kind: 'refuted',
      reason: 'only-revision',
      answer: `revision ${current.revision} is the only one`,
      revision: current.revision,
    };
  }
  const newPods = pods.filter((pod) => revisionOf(pod, history)?.uid === current.uid);
  const sick = newPods.map((pod) => troubleOf(pod, view.episode)).filter((trouble) => trouble !== undefined);
  const symptom = worstSymptom(sick);
  if (symptom === undefined) return { kind: 'unasked' };
  const readyOld = older.filter((revision) => isReady(revision, pods, history));
  const oldSick = pods.filter(
    (pod) => revisionOf(pod, history)?.uid !== current.uid && troubleOf(pod, view.episode)?.symptom === symptom,
  );
  if (readyOld.length === 0 && oldSick.length > 0) {
    return { kind: 'refuted', reason: 'old-fails-too', answer: 'pods of the older revision fail in the same way' };
  }
  const allFail = everyJudgedFails(newPods, sick, symptom, view.subject.now);
  if (!allFail) {
    return {
      kind: 'refuted',
      reason: 'new-also-healthy',
      answer: `other pods of revision ${current.revision} are healthy`,
    };
  }
  const previous = readyOld[0] ?? older[0];
  if (previous === undefined) return { kind: 'unasked' };
  const changes = diffTemplates(previous.template, current.template);
  if (changes.length === 0) {
    return { kind: 'refuted', reason: 'nothing-changed', answer: `revision ${current.revision} differs in no field` };
  }
  if (changes.every((change) => effectOf(change, symptom) === 'cannot')) {
    return {
      kind: 'refuted',
      reason: 'cannot-cause',
      answer: `no field that revision ${current.revision} changed can have this effect: ${pathsOf(changes)}`,
      revision: current.revision,
    };
  }
  if (readyOld.length === 0 && view.subject.firstSignalAt.getTime() - current.createdAt.getTime() > SUSPECT_FOR_MS) {
    return {
      kind: 'refuted',
      reason: 'long-since',
      answer: `revision ${current.revision} had run for more than an hour`,
    };
  }
  const healthyBefore =
    readyOld.length > 0 ? 'ready-now' : ranWithoutTrouble(view, previous) ? 'ran-without-trouble' : undefined;
  const decisive = findDecisive(symptom, changes, sick, view);
  return {
    kind: 'explains',
    comparison: { current, previous, changes, symptom, sick, allFail, healthyBefore, decisive },
  };
}

/** Paths named in a sentence; the others are counted. */
const SHOWN_PATHS = 3;

function pathsOf(changes: readonly FieldChange[]): string {
  const shown = changes.slice(0, SHOWN_PATHS).map(({ path }) => path);
  const more = changes.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function isReady(revision: RevisionFact, pods: readonly PodFact[], history: readonly RevisionFact[]): boolean {
  return revision.ready > 0 || pods.some((pod) => pod.ready && revisionOf(pod, history)?.uid === revision.uid);
}

const SEVERITY: Readonly<Record<Symptom, number>> = {
  oom: 5,
  crash: 4,
  'image-pull': 3,
  config: 3,
  unschedulable: 2,
  initializing: 2,
  creating: 2,
  'not-ready': 1,
};

function worstSymptom(sick: readonly Trouble[]): Symptom | undefined {
  return [...sick].sort((a, b) => SEVERITY[b.symptom] - SEVERITY[a.symptom])[0]?.symptom;
}

/** Whether all pods fail that can be judged. Being ready is no proof of health: the failing container must also have outlived the failure. */
function everyJudgedFails(newPods: readonly PodFact[], sick: readonly Trouble[], symptom: Symptom, now: Date): boolean {
  const sickPods = new Set(sick.map(({ pod }) => pod.uid));
  const well = newPods.filter((pod) => pod.ready && !sickPods.has(pod.uid));
  if (well.length === 0) return true;
  if (symptom !== 'oom' && symptom !== 'crash') return false;
  const lives = sick
    .map(({ ended }) => lifeMs(ended?.startedAt, ended?.finishedAt))
    .filter((life) => life !== undefined);
  const ends = sick.map(({ ended }) => ended?.finishedAt?.getTime()).filter((end) => end !== undefined);
  if (lives.length === 0 || ends.length === 0) return false;
  const failed = { symptom, longestMs: Math.max(...lives) + 1_000, latestMs: Math.max(...ends) };
  const containers = new Set(sick.map(({ container }) => container));
  return well.every((pod) => {
    const statuses = pod.statuses.filter(({ name }) => containers.has(name));
    return statuses.length > 0 && statuses.every((status) => isUnproven(status, failed, now));
  });
}

/** A crash may come later than the one before, by chance or by load. */
const CRASH_LIFE_FACTOR = 2;
const CRASH_LIFE_SLACK_MS = 10_000;

/**
 * Whether a container that is up says nothing yet: memory takes its time to fill, and a container without a readiness probe is Ready
 * between two crashes. It is compared at the instant of the latest failure, when the failed one had lived as long, and after a crash also
 * now, since the back-off of the others may have lasted for minutes meanwhile. The kubelet's times are whole seconds.
 */
function isUnproven(
  { running }: ContainerStatusFact,
  failed: { readonly symptom: Symptom; readonly longestMs: number; readonly latestMs: number },
  now: Date,
): boolean {
  const startedMs = running?.startedAt?.getTime();
  if (startedMs === undefined || failed.latestMs - startedMs > failed.longestMs) return false;
  const provenMs = startedMs + failed.longestMs * CRASH_LIFE_FACTOR + CRASH_LIFE_SLACK_MS;
  return failed.symptom === 'oom' || now.getTime() <= provenMs;
}

function lifeMs(from: Date | undefined, to: Date | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : to.getTime() - from.getTime();
}

const TROUBLE_EVENTS: readonly string[] = [
  'BackOff',
  'Failed',
  'OOMKilling',
  'FailedScheduling',
  'FailedMount',
  'FailedCreatePodSandBox',
];

/** Pods of the revision were started, and no event tells of trouble with them: they ran until they were replaced. */
function ranWithoutTrouble(view: CaseView, revision: RevisionFact): boolean {
  const about = (view.events?.value ?? []).filter(
    ({ regarding }) => regarding.kind === 'Pod' && regarding.name.startsWith(`${revision.name}-`),
  );
  const started = about.some(({ reason }) => reason === 'Started');
  return started && !about.some(({ type, reason }) => type === 'Warning' && TROUBLE_EVENTS.includes(reason));
}
