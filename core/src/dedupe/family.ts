import type { SignalKind } from '../signal/kind.ts';
import type { OwnerRef } from '../signal/observation.ts';

/**
 * Which kinds are views of one fault when they concern one owner. A pod that dies of memory crashes, is not ready and leaves its
 * Deployment short: one incident. What says nothing about its object has no family and is never joined.
 */
export const FAMILY_OF: Readonly<Record<SignalKind, string | undefined>> = {
  CrashLoopBackOff: 'workload',
  OomKilled: 'workload',
  ImagePullBackOff: 'workload',
  Unschedulable: 'workload',
  ConfigError: 'workload',
  ReplicaMismatch: 'workload',
  PodNotReady: 'workload',
  RestartStorm: 'workload',
  TargetDown: 'scrape',
  HighErrorRate: 'service-level',
  HighLatency: 'service-level',
  JobFailed: 'job',
  NodePressure: 'node',
  PvcNearlyFull: 'storage',
  Watchdog: undefined,
  Unknown: undefined,
};

/**
 * Names the fault across sources: the same for the watch's CrashLoopBackOff and the alert KubePodCrashLooping of one Deployment.
 * Undefined where the signal has no owner or no family. Readable, since it is shown as the reason why a signal joined.
 */
export function correlationKeyOf(signal: {
  readonly cluster: string;
  readonly namespace?: string | undefined;
  readonly owner?: OwnerRef | undefined;
  readonly kind: SignalKind;
}): string | undefined {
  const family = FAMILY_OF[signal.kind];
  if (family === undefined || signal.owner === undefined) return undefined;
  return JSON.stringify([signal.cluster, signal.namespace ?? null, signal.owner.kind, signal.owner.name, family]);
}
