import type { Condition } from '../shape/condition.ts';
import type { Node } from '../shape/pod.ts';

const GRACE = 50_000;
const MISSED_RENEWALS = 2.5;
/** What a kubelet reports, and what nobody knows any more once it is silent. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

export interface Heartbeats {
  /** Real milliseconds since the last sign of life, and between the last two; leases are not compressed with the waiting. */
  readonly silentFor: number;
  readonly interval: number | undefined;
  readonly leaseDurationSeconds: number | undefined;
  readonly speed: number;
}

/**
 * How long a node may be silent, in real milliseconds: the configured grace under compressed time, but always long enough to miss
 * two renewals. A shorter grace would call every node dead whose kubelet renews by the real clock.
 */
export function graceOf({ interval, leaseDurationSeconds, speed }: Heartbeats): number {
  const renewal = interval ?? ((leaseDurationSeconds ?? 40) * 1000) / 4;
  return Math.max(GRACE / speed, Math.min(GRACE, renewal * MISSED_RENEWALS));
}

/** The conditions of a node that has been silent too long; nothing while it is not, or when they say so already. */
export function silentConditions(node: Node, beats: Heartbeats, now: string): readonly Condition[] | undefined {
  if (beats.silentFor <= graceOf(beats)) return undefined;
  const before = node.status?.conditions ?? [];
  const changed = before.map((condition) =>
    REPORTED.includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown' as const,
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        }
      : condition,
  );
  const missing = REPORTED.filter((type) => !before.some((condition) => condition.type === type)).map((type) => ({
    type,
    status: 'Unknown' as const,
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
    lastTransitionTime: now,
  }));
  const same = missing.length === 0 && changed.every((condition, index) => condition === before[index]);
  return same ? undefined : [...changed, ...missing];
}

export function readyStatus(node: Node): Condition['status'] | undefined {
  return node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
