import type { Lease, Node } from '../shape/pod.ts';

/** When each node last gave a sign of life, by this process's clock: whoever writes the timestamps may have another one. */
export interface HeartbeatLog {
  sawNode(node: Node, now: number): void;
  sawLease(lease: Lease, now: number): void;
  forget(name: string): void;
  of(
    name: string,
  ):
    | { readonly lastAt: number; readonly interval: number | undefined; readonly leaseSeconds: number | undefined }
    | undefined;
}

interface Beat {
  lastAt: number;
  interval: number | undefined;
  leaseSeconds: number | undefined;
  heartbeat: string | undefined;
  renewal: string | undefined;
}

export function createHeartbeatLog(): HeartbeatLog {
  const beats = new Map<string, Beat>();

  const beatOf = (name: string, now: number): Beat => {
    const known = beats.get(name);
    if (known !== undefined) return known;
    const first: Beat = {
      lastAt: now,
      interval: undefined,
      leaseSeconds: undefined,
      heartbeat: undefined,
      renewal: undefined,
    };
    beats.set(name, first);
    return first;
  };

  return {
    sawNode: (node, now) => {
      const beat = beatOf(node.metadata.name, now);
      const heartbeat = (node.status?.conditions ?? []).find(({ type }) => type === 'Ready')?.lastHeartbeatTime;
      if (heartbeat === beat.heartbeat) return;
      beat.heartbeat = heartbeat;
      beat.lastAt = now;
    },
    sawLease: (lease, now) => {
      const beat = beatOf(lease.metadata.name, now);
      beat.leaseSeconds = lease.spec?.leaseDurationSeconds;
      const renewal = lease.spec?.renewTime;
      if (renewal === beat.renewal) return;
      // The longest of the last two gaps, so that one early renewal does not shorten the patience for the next.
      if (beat.renewal !== undefined) beat.interval = Math.max(now - beat.lastAt, (beat.interval ?? 0) / 2);
      beat.renewal = renewal;
      beat.lastAt = now;
    },
    forget: (name) => beats.delete(name),
    of: (name) => beats.get(name),
  };
}
