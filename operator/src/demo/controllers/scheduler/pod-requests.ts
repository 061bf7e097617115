import type { Container, Pod, PodSpec } from '../shape/pod.ts';
import { milli, quantity } from '../shape/quantity.ts';

/** What a pod asks of a node, by resource name: CPU in thousandths of a core, everything else in base units. */
export type Requests = Readonly<Record<string, number>>;

/** What scoring assumes of a pod that asks for nothing, so that such pods still spread. */
const ASSUMED: Requests = { cpu: 100, memory: 200 * 2 ** 20 };

/** Containers run together, init containers one after the other before them; sidecars stay beside both. A limit without a request is the request. */
export function podRequests(spec: PodSpec): Requests {
  let running: Requests = {};
  let peak: Requests = {};
  for (const container of spec.initContainers ?? []) {
    const own = containerRequests(container);
    if (container.restartPolicy === 'Always') running = plus(running, own);
    peak = highest(peak, container.restartPolicy === 'Always' ? running : plus(running, own));
  }
  for (const container of spec.containers) running = plus(running, containerRequests(container));
  return plus(highest(running, peak), amounts(spec.overhead));
}

/** Requests with an assumption where CPU or memory is not asked for; only for comparing nodes. */
export function scoredRequests(spec: PodSpec): Requests {
  const own = podRequests(spec);
  return { ...own, cpu: own.cpu || (ASSUMED.cpu ?? 0), memory: own.memory || (ASSUMED.memory ?? 0) };
}

export function totalRequests(pods: readonly Pod[], of: (spec: PodSpec) => Requests): Requests {
  return pods.reduce<Requests>((sum, pod) => plus(sum, of(pod.spec)), {});
}

export function amounts(list: Readonly<Record<string, string | number>> | undefined): Requests {
  return Object.fromEntries(
    Object.entries(list ?? {}).map(([name, value]) => [name, name === 'cpu' ? milli(value) : quantity(value)]),
  );
}

function containerRequests(container: Container): Requests {
  return amounts({ ...container.resources?.limits, ...container.resources?.requests });
}

function plus(a: Requests, b: Requests): Requests {
  return combine(a, b, (x, y) => x + y);
}

function highest(a: Requests, b: Requests): Requests {
  return combine(a, b, Math.max);
}

function combine(a: Requests, b: Requests, merge: (x: number, y: number) => number): Requests {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, merge(a[name] ?? 0, b[name] ?? 0)]));
}
