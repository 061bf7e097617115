/**
 * How a story's containers behave, as data. The story kubelet interprets it; what decides is always something that is really
 * in the cluster (a spec field, an object, a file in a volume), so the same story plays on any cluster and a repair heals it
 * for the reason it would heal a real one.
 */
export interface Behaviour {
  /** Value of the pod's `app.kubernetes.io/name` label. */
  readonly workload: string;
  /** Container name; absent: every regular container of the pod. */
  readonly container?: string;
  readonly when: Condition;
  readonly run: ContainerScript;
}

/** What a behaviour may depend on; looked at each time the container is about to start (or its image to be pulled). */
export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'env'; readonly name: string; readonly matches: string }
  | { readonly kind: 'image'; readonly matches: string }
  /** True when the container has a memory limit and it is lower. */
  | { readonly kind: 'memory-limit-below'; readonly mebibytes: number }
  /** True when an earlier container left the marker in the pod's volume. An emptyDir dies with its pod, an nfs export does not. */
  | { readonly kind: 'marker'; readonly volume: string; readonly marker: string }
  /** True when no endpoint of the Service in the pod's namespace is ready. */
  | { readonly kind: 'service-without-endpoints'; readonly service: string }
  /** Position of the pod among the pods of its owner in the order they came, from 0; a replacement never gets a used one. */
  | { readonly kind: 'ordinal'; readonly equals: number }
  /** True as long as fewer restarts, this start included, have been made; with 1, for the first life only. */
  | { readonly kind: 'restarts-below'; readonly count: number }
  /** True while the image was tried fewer times in this pod. */
  | { readonly kind: 'pulls-below'; readonly count: number }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'all'; readonly of: readonly Condition[] };

/**
 * One life of a container. Times are seconds since its start, before compression. Log texts may use `{time}` (the line's own
 * time), `{pod}`, `{namespace}`, `{node}`, `{image}` and `{env.NAME}`.
 */
export interface ContainerScript {
  /** The registry's error after the image reference; the container then never starts. */
  readonly pullError?: string;
  readonly log?: readonly LogLine[];
  /** A line that comes again and again while the container runs. */
  readonly heartbeat?: { readonly everySeconds: number; readonly text: string };
  /** When the readiness probe first succeeds; `never` for a container that stays unready. Default 2 s. */
  readonly readyAfter?: number | 'never';
  /** Later spans in which the readiness probe fails. */
  readonly unready?: readonly { readonly from: number; readonly to: number }[];
  /** What the failing readiness probe reports. */
  readonly probeOutput?: string;
  readonly exit?: Exit;
  /** A Service without which the process cannot live: some seconds after its last ready endpoint went, it logs `log` and exits. */
  readonly needs?: { readonly service: string; readonly log: string; readonly code: number };
  /** Files that this life leaves behind when it ends by itself. */
  readonly leaves?: readonly { readonly volume: string; readonly marker: string }[];
}

export interface LogLine {
  readonly at: number;
  readonly text: string;
}

export interface Exit {
  readonly after: number;
  readonly code: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled';
}
