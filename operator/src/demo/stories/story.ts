import type { KubeObject } from '../cluster/object.ts';
import type { EventObject, PodTemplate } from '../kube-client/workload.ts';
import type { AlertSource } from './alert-source.ts';
import type { Behaviour } from './behaviour.ts';
import type { Expected, IncidentKey } from './expected.ts';

export type StoryId =
  | 'bad-rollout'
  | 'wedged-pod'
  | 'wedged-pod-silent'
  | 'oom-standing'
  | 'oom-rollout'
  | 'image-missing-rollout'
  | 'image-missing-standing'
  | 'unschedulable'
  | 'secret-key-missing'
  | 'fix-that-fails'
  | 'upstream'
  | 'target-moved-scale'
  | 'target-moved-template'
  | 'two-approvers'
  | 'healthy-noise'
  | 'hostile-log';

/** Everything one run plays: the world's side, the people in it, and what must come of it. */
export interface Story {
  readonly id: StoryId;
  readonly title: string;
  /** One or two sentences for a reader who has never seen the system. */
  readonly summary: string;
  /** What is simulated or compressed in this story, said to whoever watches. */
  readonly simulated: readonly string[];
  /** How many different persons the policy of this story's namespace asks for. */
  readonly approvers: 1 | 2;
  /** The world's steps, in order. They play in a namespace that is new in each run; `inNamespace` builds it. */
  readonly timeline: readonly WorldStep[];
  readonly behaviours: readonly Behaviour[];
  readonly alerts: readonly AlertSource[];
  /** What people do, in order, beginning when the timeline has ended. */
  readonly director: readonly HumanAct[];
  readonly expected: Expected;
}

/** An object without a namespace: whoever applies it puts the run's namespace in. */
export type Manifest = KubeObject;

/** One thing that happens in the cluster from outside. Names are of objects in the run's namespace. */
export type WorldStep =
  | { readonly do: 'apply'; readonly note: string; readonly manifests: readonly Manifest[] }
  | { readonly do: 'wait'; readonly note: string; readonly seconds: number }
  /** Fails the story when the condition does not hold in time (seconds before compression). */
  | { readonly do: 'wait-until'; readonly note: string; readonly until: WorldCondition; readonly withinSeconds: number }
  | ({ readonly do: 'set-env'; readonly note: string; readonly value: string; readonly name: string } & InContainer)
  | ({ readonly do: 'set-image'; readonly note: string; readonly image: string } & InContainer)
  | ({ readonly do: 'set-memory-limit'; readonly note: string; readonly limit: string } & InContainer)
  | { readonly do: 'push-template'; readonly note: string; readonly deployment: string; readonly template: PodTemplate }
  | { readonly do: 'restart'; readonly note: string; readonly deployment: string }
  | { readonly do: 'scale'; readonly note: string; readonly deployment: string; readonly replicas: number }
  /** Deletes the first pod (by name) of the workload. */
  | { readonly do: 'delete-pod'; readonly note: string; readonly workload: string }
  | { readonly do: 'evict-pod'; readonly note: string; readonly workload: string }
  | { readonly do: 'cordon' | 'uncordon'; readonly note: string; readonly node: string }
  /** Posts an Event about the first pod of the workload, as some component saw it `secondsAgo`. */
  | {
      readonly do: 'post-event';
      readonly note: string;
      readonly workload: string;
      readonly event: Pick<EventObject, 'reason' | 'message' | 'type' | 'count'>;
      readonly component: string;
      readonly secondsAgo: number;
    };

interface InContainer {
  readonly deployment: string;
  readonly container: string;
}

/** What a step may wait for. A workload is the value of `app.kubernetes.io/name`. */
export type WorldCondition =
  /** Observed, every replica of the newest template available, nothing old left. */
  | { readonly kind: 'rolled-out'; readonly deployment: string }
  | { readonly kind: 'all-rolled-out' }
  | { readonly kind: 'container-waiting'; readonly workload: string; readonly reason: string }
  | { readonly kind: 'restarts-at-least'; readonly workload: string; readonly count: number }
  | { readonly kind: 'ready-pods'; readonly workload: string; readonly count: number }
  | { readonly kind: 'unscheduled-pod'; readonly workload: string }
  | { readonly kind: 'job-complete'; readonly job: string };

/** People of the demo, by the part they play. */
export type Person = 'approver' | 'other-approver' | 'responder' | 'admin';

export type HumanAct =
  /** Waits until the incident is in that state (and, where given, for that reason). */
  | {
      readonly act: 'await-incident';
      readonly incident: IncidentKey;
      readonly state: 'AwaitingApproval' | 'Escalated' | 'Verifying' | 'Resolved';
      readonly reason?: string;
      readonly withinSeconds: number;
    }
  | {
      readonly act: 'approve';
      readonly incident: IncidentKey;
      readonly by: Person;
      readonly reason: string;
      /** `executes`: 200 and the quorum is reached; `stays-open`: 200 and it is not; otherwise the problem's code. */
      readonly answer: 'executes' | 'stays-open' | 'already-voted' | 'already-decided' | 'target-changed';
    }
  | {
      readonly act: 'revise' | 'reinvestigate';
      readonly incident: IncidentKey;
      readonly by: Person;
      readonly reason: string;
    }
  | { readonly act: 'in-the-world'; readonly step: WorldStep }
  /** Nothing to be done: the time in which nothing must happen. */
  | { readonly act: 'watch'; readonly seconds: number };
