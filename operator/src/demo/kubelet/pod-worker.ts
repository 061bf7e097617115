import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '../kube-client/kube-client.ts';
import { isKubeCode } from '../kube-client/kube-error.ts';
import type { Pod } from '../kube-client/pod.ts';
import { PODS } from '../kube-client/resource.ts';
import { retrying } from '../kube-client/retry.ts';
import type { Pace } from '../pace.ts';
import type { Behaviour } from '../stories/behaviour.ts';
import type { Effect } from './container-step.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Ordinals } from './ordinals.ts';
import type { PodRecord } from './pod-record.ts';
import { podStatus } from './pod-status.ts';
import { type PodStep, startsNow, stepPod } from './pod-step.ts';
import { decideStart, type StartFacts } from './start-decision.ts';
import { gatherStartFacts, mountErrors, readyEndpoints } from './start-facts.ts';
import type { Volumes } from './volumes.ts';

/** What all pods of one kubelet share. */
export interface WorkerContext {
  readonly client: KubeClient;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  readonly events: EventRecorder;
  readonly volumes: Volumes;
  readonly ordinals: Ordinals;
  /** Images each node has pulled, as `node image`. */
  readonly images: Set<string>;
  behaviours(namespace: string): readonly Behaviour[];
  onTrouble(error: unknown): void;
}

const RETRY_MS = 1_000;

/**
 * Plays one pod: steps it whenever something falls due or its object changes, one step at a time, and publishes what came of
 * it. Status first, Events after, so that a reader woken by an Event finds the state that it speaks of.
 */
export class PodWorker {
  readonly #context: WorkerContext;
  #pod: Pod;
  #record: PodRecord;
  #busy = false;
  #again = false;
  #dropped = false;
  #cancel: () => void = () => {};

  constructor(context: WorkerContext, pod: Pod, record: PodRecord) {
    this.#context = context;
    this.#pod = pod;
    this.#record = record;
  }

  get pod(): Pod {
    return this.#pod;
  }

  get record(): PodRecord {
    return this.#record;
  }

  /** At which this pod lives. */
  get pace(): Pace {
    return this.#context.pace;
  }

  /** Takes the object's newest version and steps. */
  update(pod: Pod): void {
    this.#pod = pod;
    this.wake();
  }

  /** Ends the play; the object is gone. */
  drop(): void {
    this.#dropped = true;
    this.#cancel();
  }

  wake(): void {
    if (this.#dropped || this.#context.signal.aborted) return;
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    this.#again = false;
    this.#step()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#busy = false;
        if (this.#again) this.wake();
      });
  }

  #failed(error: unknown): void {
    if (isKubeCode(error, 404)) return;
    if (this.#context.signal.aborted) return;
    this.#context.onTrouble(error);
    this.#wakeIn(RETRY_MS);
  }

  #wakeIn(milliseconds: number): void {
    const { pace } = this.#context;
    this.#cancel();
    this.#cancel = pace.after(Math.max(0, milliseconds) * pace.speed, () => this.wake());
  }

  async #facts(now: number): Promise<StartFacts | undefined> {
    if (!startsNow(this.#pod, this.#record, now)) return undefined;
    const { client, behaviours, volumes, ordinals } = this.#context;
    const own = { markers: volumes.markers(this.#pod), ordinal: ordinals.of(this.#pod) };
    return gatherStartFacts(client, this.#pod, behaviours(this.#pod.metadata.namespace ?? ''), own);
  }

  async #lostServices(): Promise<ReadonlySet<string>> {
    const needed = new Set<string>();
    for (const { phase, life } of this.#record.containers) {
      if (phase.kind === 'running' && life?.script.needs !== undefined) needed.add(life.script.needs.service);
    }
    const lost = new Set<string>();
    for (const service of needed) {
      const ready = await readyEndpoints(this.#context.client, this.#pod.metadata.namespace ?? '', service);
      if (ready === 0) lost.add(service);
    }
    return lost;
  }

  async #step(): Promise<void> {
    const { pace, images, behaviours } = this.#context;
    const now = pace.now().getTime();
    const facts = await this.#facts(now);
    const lostServices = await this.#lostServices();
    if (this.#dropped) return;
    const pod = this.#pod;
    const step = stepPod(this.#record, {
      pod,
      now,
      speed: pace.speed,
      imagePresent: (image) => images.has(`${pod.spec.nodeName} ${image}`),
      decide: (container, record) => {
        if (facts === undefined) return { kind: 'config-error', message: 'start facts were not read' };
        return decideStart(pod, container, record, behaviours(pod.metadata.namespace ?? ''), facts);
      },
      lostServices,
      mountErrors: facts === undefined ? [] : mountErrors(pod, facts),
    });
    this.#record = step.record;
    await this.#publish(step, now);
  }

  async #publish(step: PodStep, now: number): Promise<void> {
    const { pace } = this.#context;
    for (const effect of step.effects) this.#keep(effect);
    await this.#writeStatus(now);
    for (const effect of step.effects) await this.#tell(effect, now);
    if (step.gone) {
      await this.#removeObject();
    } else if (step.wakeAt !== undefined && !this.#dropped) {
      this.#wakeIn(step.wakeAt - pace.now().getTime());
    }
  }

  #keep(effect: Effect): void {
    const { volumes, images } = this.#context;
    if (effect.kind === 'leave') volumes.leave(this.#pod, effect.volume, effect.marker);
    if (effect.kind === 'image-pulled') images.add(`${this.#pod.spec.nodeName} ${effect.image}`);
  }

  async #tell(effect: Effect, now: number): Promise<void> {
    if (effect.kind !== 'event') return;
    const { name, namespace, uid, resourceVersion } = this.#pod.metadata;
    const target = {
      kind: 'Pod',
      apiVersion: 'v1',
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    await this.#context.events.record(target, this.#pod.spec.nodeName ?? '', effect, now);
  }

  async #writeStatus(now: number): Promise<void> {
    const { client, pace, signal } = this.#context;
    let known = this.#pod;
    await retrying(
      pace,
      async () => {
        const status = podStatus(known, this.#record, now, pace.speed);
        if (isDeepStrictEqual({ ...known.status, ...status }, known.status ?? {})) return;
        try {
          const written = await client.replaceStatus(PODS, { ...known, status: { ...known.status, ...status } });
          // the watch may already have brought a later one
          if (this.#pod === known) this.#pod = written;
        } catch (error) {
          if (isKubeCode(error, 409)) known = await client.get(PODS, known.metadata.namespace, known.metadata.name);
          if (known.metadata.uid !== this.#record.uid) return;
          throw error;
        }
      },
      signal,
    );
  }

  async #removeObject(): Promise<void> {
    const { client, pace, signal } = this.#context;
    const { namespace, name } = this.#pod.metadata;
    await retrying(
      pace,
      () => client.remove(PODS, namespace, name, { uid: this.#record.uid, gracePeriodSeconds: 0 }),
      signal,
    ).catch((error: unknown) => {
      // already gone, or another pod has the name: either way ours is no longer there
      if (!isKubeCode(error, 404, 409)) throw error;
    });
  }
}
