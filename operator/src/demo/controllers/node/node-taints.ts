import type { Node, Taint } from '../shape/pod.ts';

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** Which taint each condition stands for, by its status. */
const BY_CONDITION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
};

const MANAGED = new Set([UNSCHEDULABLE, ...Object.values(BY_CONDITION).flatMap((byStatus) => Object.values(byStatus))]);

/**
 * The taints a node should carry: those of other hands untouched, those that its conditions and a cordon stand for. Taints that
 * stay keep the time they were added, since pods' tolerations count from it.
 */
export function desiredTaints(node: Node, now: string): readonly Taint[] {
  const current = node.spec?.taints ?? [];
  const foreign = current.filter((taint) => !isManaged(taint));
  const wanted = [...scheduleTaints(node), ...executeTaints(node)];
  const managed = wanted.map(
    (taint) =>
      current.find((old) => old.key === taint.key && old.effect === taint.effect) ?? { ...taint, timeAdded: now },
  );
  const kept = current.filter((taint) => foreign.includes(taint) || managed.includes(taint));
  return [...kept, ...managed.filter((taint) => !kept.includes(taint))];
}

function isManaged({ key, effect }: Taint): boolean {
  if (effect === 'NoSchedule') return MANAGED.has(key);
  return effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);
}

function scheduleTaints(node: Node): readonly Taint[] {
  const keys = (node.status?.conditions ?? []).flatMap(({ type, status }) => BY_CONDITION[type]?.[status] ?? []);
  const all = node.spec?.unschedulable === true ? [...keys, UNSCHEDULABLE] : keys;
  return all.map((key) => ({ key, effect: 'NoSchedule' }));
}

function executeTaints(node: Node): readonly Taint[] {
  const ready = (node.status?.conditions ?? []).find(({ type }) => type === 'Ready');
  const key = ready === undefined ? undefined : BY_CONDITION.Ready?.[ready.status];
  return key === undefined ? [] : [{ key, effect: 'NoExecute' }];
}
