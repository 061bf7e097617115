import type { KubeClient } from '../kube-client/kube-client.ts';
import { listWatch } from '../kube-client/list-watch.ts';
import type { Pod } from '../kube-client/pod.ts';
import { PODS } from '../kube-client/resource.ts';
import type { Pace } from '../pace.ts';
import type { Behaviour } from '../stories/behaviour.ts';
import { EventRecorder } from './event-recorder.ts';
import { startLogServer } from './log-server.ts';
import { keepLease, type NodeSpec, registerNode } from './node-agent.ts';
import { Ordinals } from './ordinals.ts';
import { acceptPod } from './pod-record.ts';
import { PodWorker, type WorkerContext } from './pod-worker.ts';
import { wall } from './readiness.ts';
import { Volumes } from './volumes.ts';

export interface StoryKubeletOptions {
  /** A client whose identity may do what kubelets and the scheduler's victims need: pods, nodes, leases, events, reads of Secrets. */
  readonly client: KubeClient;
  readonly pace: Pace;
  readonly nodes: readonly NodeSpec[];
  onTrouble?(error: unknown): void;
}

/** One process that plays the kubelets of several nodes. */
export interface StoryKubelet {
  /** Where `containerLogs` is served, over HTTPS on 127.0.0.1. */
  readonly port: number;
  /** How the pods of a namespace behave from their next start on; pods without a fitting behaviour are healthy. */
  setBehaviours(namespace: string, behaviours: readonly Behaviour[]): void;
  /** Pods of the namespace that come from now on live at this pace instead of the kubelet's own. */
  setPace(namespace: string, pace: Pace): void;
  forgetNamespace(namespace: string): void;
  /** Stops playing; pods, nodes and leases stay as they are. */
  close(): Promise<void>;
}

/** Three ordinary machines and a larger one. */
export const STORY_NODES: readonly NodeSpec[] = [
  { name: 'node-a', cpu: '8', memory: '16Gi', zone: 'zone-1' },
  { name: 'node-b', cpu: '8', memory: '16Gi', zone: 'zone-1' },
  { name: 'node-c', cpu: '8', memory: '16Gi', zone: 'zone-2' },
  { name: 'node-d', cpu: '16', memory: '32Gi', zone: 'zone-2' },
];

/** Seconds until a pod's sandbox is up, before compression. */
const SANDBOX = 1;

function isOver(pod: Pod): boolean {
  return (
    (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') &&
    pod.metadata.deletionTimestamp === undefined
  );
}

class Kubelet {
  readonly workers = new Map<string, PodWorker>();
  readonly behaviours = new Map<string, readonly Behaviour[]>();
  readonly paces = new Map<string, Pace>();
  readonly #context: WorkerContext;
  readonly #nodes: ReadonlySet<string>;
  #addresses = 0;

  constructor(options: StoryKubeletOptions, signal: AbortSignal, onTrouble: (error: unknown) => void) {
    this.#nodes = new Set(options.nodes.map((node) => node.name));
    this.#context = {
      client: options.client,
      pace: options.pace,
      signal,
      events: new EventRecorder(options.client, onTrouble),
      volumes: new Volumes(),
      ordinals: new Ordinals(),
      images: new Set(),
      behaviours: (namespace) => this.behaviours.get(namespace) ?? [],
      onTrouble,
    };
  }

  #address(): string {
    const number = this.#addresses;
    this.#addresses += 1;
    return `10.244.${Math.floor(number / 250) % 250}.${(number % 250) + 2}`;
  }

  onPut(pod: Pod): void {
    if (!this.#nodes.has(pod.spec.nodeName ?? '')) return;
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const known = this.workers.get(key);
    if (known !== undefined && known.record.uid === pod.metadata.uid) {
      known.update(pod);
      return;
    }
    known?.drop();
    if (isOver(pod)) return;
    const { ordinals } = this.#context;
    const pace = this.paces.get(pod.metadata.namespace ?? '') ?? this.#context.pace;
    ordinals.of(pod);
    const now = pace.now().getTime();
    const worker = new PodWorker(
      { ...this.#context, pace },
      pod,
      acceptPod(pod, now, now + wall(SANDBOX, pace.speed), this.#address()),
    );
    this.workers.set(key, worker);
    worker.wake();
  }

  onGone(pod: Pod): void {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const worker = this.workers.get(key);
    if (worker === undefined || worker.record.uid !== pod.metadata.uid) return;
    worker.drop();
    this.workers.delete(key);
    this.#context.volumes.podGone(worker.record.uid);
    this.#context.ordinals.podGone(worker.record.uid);
  }
}

/**
 * Registers the nodes and plays every pod bound to them until closed. Works on any API server that the client reaches; it
 * keeps nothing on disk, so pods of an earlier kubelet start over with their restart counts kept.
 */
export async function startStoryKubelet(options: StoryKubeletOptions): Promise<StoryKubelet> {
  const { client, pace, nodes } = options;
  const stop = new AbortController();
  const onTrouble = options.onTrouble ?? (() => {});
  const kubelet = new Kubelet(options, stop.signal, onTrouble);
  const logs = await startLogServer(pace.now(), (namespace, pod) => kubelet.workers.get(`${namespace}/${pod}`));
  const registered = await Promise.all(nodes.map((node) => registerNode(client, pace, node, logs.port)));
  const running = [
    listWatch(
      client,
      PODS,
      { onPut: (pod) => kubelet.onPut(pod), onGone: (pod) => kubelet.onGone(pod), onTrouble },
      { pace, signal: stop.signal, fieldSelector: 'spec.nodeName!=' },
    ),
    ...registered.map((node) => keepLease(client, pace, node, stop.signal, onTrouble)),
  ];
  return {
    port: logs.port,
    setBehaviours: (namespace, behaviours) => void kubelet.behaviours.set(namespace, behaviours),
    setPace: (namespace, pace_) => void kubelet.paces.set(namespace, pace_),
    forgetNamespace: (namespace) => {
      kubelet.behaviours.delete(namespace);
      kubelet.paces.delete(namespace);
    },
    close: async () => {
      stop.abort();
      for (const worker of kubelet.workers.values()) worker.drop();
      await logs.close();
      await Promise.allSettled(running);
    },
  };
}
