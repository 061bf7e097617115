import { createHash } from 'node:crypto';
import type { KubeClient } from '../kube-client/kube-client.ts';
import { KubeApiError } from '../kube-client/kube-error.ts';
import { EVENTS } from '../kube-client/resource.ts';
import type { EventObject } from '../kube-client/workload.ts';
import { apiTime } from './container-status.ts';
import type { KubeletEvent } from './kubelet-event.ts';

/** What an Event is about. */
export type EventTarget = EventObject['involvedObject'];

interface Known {
  readonly name: string;
  readonly firstAt: number;
  readonly count: number;
}

/** Remembered series beyond this many are forgotten, oldest first; the next repeat then starts a new Event. */
const REMEMBERED = 4_000;

/**
 * Writes Events as a kubelet does: the same words about the same object become one Event whose count grows. A failed write is
 * given up after being reported, since an Event must never hold a pod up.
 */
export class EventRecorder {
  readonly #client: KubeClient;
  readonly #onTrouble: (error: unknown) => void;
  readonly #known = new Map<string, Known>();

  constructor(client: KubeClient, onTrouble: (error: unknown) => void) {
    this.#client = client;
    this.#onTrouble = onTrouble;
  }

  async record(target: EventTarget, node: string, event: KubeletEvent, now: number): Promise<void> {
    const about: EventTarget = event.fieldPath === undefined ? target : { ...target, fieldPath: event.fieldPath };
    const key = JSON.stringify([about.uid, about.fieldPath, event.type, event.reason, event.message]);
    const known = this.#known.get(key);
    try {
      if (known !== undefined && (await this.#repeat(about, known, now))) {
        this.#remember(key, { ...known, count: known.count + 1 });
        return;
      }
      this.#remember(key, await this.#first(about, node, event, known?.count ?? 0, known?.firstAt ?? now, now));
    } catch (error) {
      this.#onTrouble(error);
    }
  }

  async #repeat(about: EventTarget, known: Known, now: number): Promise<boolean> {
    const operations = [
      { op: 'replace', path: '/count', value: known.count + 1 },
      { op: 'replace', path: '/lastTimestamp', value: apiTime(now) },
    ] as const;
    try {
      await this.#client.patch(EVENTS, about.namespace ?? 'default', known.name, operations);
      return true;
    } catch (error) {
      // gone after its hour, or a server that takes no such patch: a new Event carries the count on
      if (error instanceof KubeApiError && [404, 405, 415, 501].includes(error.code)) return false;
      throw error;
    }
  }

  async #first(
    about: EventTarget,
    node: string,
    event: KubeletEvent,
    before: number,
    firstAt: number,
    now: number,
  ): Promise<Known> {
    const count = before + 1;
    const seed = JSON.stringify([about, event, count, now]);
    const name = `${about.name}.${createHash('sha256').update(seed).digest('hex').slice(0, 16)}`;
    await this.#client.create(EVENTS, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: about.namespace ?? 'default' },
      involvedObject: about,
      reason: event.reason,
      message: event.message,
      type: event.type,
      count,
      firstTimestamp: apiTime(firstAt),
      lastTimestamp: apiTime(now),
      source: { component: 'kubelet', host: node },
      reportingComponent: 'kubelet',
      reportingInstance: node,
    });
    return { name, firstAt, count };
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    const oldest = this.#known.keys().next();
    if (this.#known.size > REMEMBERED && oldest.done !== true) this.#known.delete(oldest.value);
  }
}
