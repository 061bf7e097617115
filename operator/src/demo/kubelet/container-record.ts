import type { ContainerScript } from '../stories/behaviour.ts';

/** What the kubelet knows of one container. Instants are milliseconds of the wall clock. */
export interface ContainerRecord {
  readonly name: string;
  readonly restartCount: number;
  readonly phase: ContainerPhase;
  /** The life that runs, or the last one when none does. */
  readonly life?: Life;
  /** The life before that. */
  readonly previous?: Life;
  /** Failed restarts since the back-off was last forgiven. */
  readonly failures: number;
  readonly pulls: number;
  readonly nextProbeAt?: number;
}

export type ContainerPhase =
  /** Waits for the sandbox, for its init containers, or to be (re)started now. */
  | { readonly kind: 'due' }
  | { readonly kind: 'pulling'; readonly since: number; readonly until: number }
  /** The pull failed: `ErrImagePull` until `backOffAt`, then `ImagePullBackOff` until `retryAt`. */
  | {
      readonly kind: 'pull-failed';
      readonly error: string;
      readonly backOffAt: number;
      readonly retryAt: number;
      readonly told: boolean;
    }
  | { readonly kind: 'config-error'; readonly message: string; readonly retryAt: number }
  | { readonly kind: 'running' }
  /** Shown as terminated; at `until` it restarts, or backs off. */
  | { readonly kind: 'exited'; readonly until: number }
  | { readonly kind: 'back-off'; readonly seconds: number; readonly retryAt: number; readonly tellAt: number }
  /** Terminated and never started again. */
  | { readonly kind: 'finished' };

/** One run of a container's process. */
export interface Life {
  readonly id: string;
  readonly startedAt: number;
  readonly script: ContainerScript;
  /** Values that its log lines may name. */
  readonly names: Readonly<Record<string, string>>;
  readonly end?: LifeEnd;
}

export interface LifeEnd {
  readonly at: number;
  readonly exitCode: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled';
  readonly message?: string;
}

/** A container nobody has tried to start yet; `restartCount` is taken over from an earlier kubelet's status. */
export function newContainer(name: string, restartCount = 0): ContainerRecord {
  return { name, restartCount, phase: { kind: 'due' }, failures: 0, pulls: 0 };
}
