import type { KubeObject } from '../../cluster/object.ts';
import { type ObjectStore, StoreError } from '../../cluster/store.ts';
import type { Pace } from '../../pace.ts';
import { type Random, randomSuffix } from '../shape/names.ts';
import { EVENTS } from '../shape/resources.ts';
import { microTimestamp, timestamp } from '../shape/timestamp.ts';

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Set for components that record through the newer events API, which times events otherwise. */
  readonly action?: string;
}

export interface EventRecorder {
  /** Records an Event on the object; the same text about the same object is counted up instead of repeated. Never throws. */
  record(component: string, about: KubeObject, event: EventText): void;
}

const REMEMBERED = 4_096;
/** Repeats further apart than this are a new Event. */
const CORRELATION_WINDOW = 600_000;

export function createEventRecorder(options: {
  readonly store: ObjectStore;
  readonly pace: Pace;
  readonly random: Random;
}): EventRecorder {
  const { store, pace, random } = options;
  const recent = new Map<string, { readonly name: string; readonly at: number }>();

  return {
    record: (component, about, event) => {
      const namespace = about.metadata.namespace ?? 'default';
      const now = pace.now();
      const fingerprint = [component, about.metadata.uid, event.type, event.reason, event.message].join('\n');
      const known = recent.get(fingerprint);
      const fresh = known !== undefined && (now.getTime() - known.at) * pace.speed <= CORRELATION_WINDOW;
      const earlier = fresh ? store.get(EVENTS, namespace, known.name) : undefined;
      const name = earlier?.metadata.name ?? `${about.metadata.name}.${randomSuffix(random, 16)}`;
      recent.delete(fingerprint);
      recent.set(fingerprint, { name, at: now.getTime() });
      if (recent.size > REMEMBERED) recent.delete(recent.keys().next().value ?? '');
      write(store, earlier, () =>
        earlier === undefined
          ? firstOf(component, about, event, { namespace, name, now })
          : repeated(earlier, event, now),
      );
    },
  };
}

/** An event that cannot be written is lost, as in any cluster: no controller may stop for the want of its own commentary. */
function write(store: ObjectStore, earlier: KubeObject | undefined, build: () => KubeObject): void {
  try {
    if (earlier === undefined) store.create(EVENTS, build());
    else store.update(EVENTS, build());
  } catch (error: unknown) {
    if (!(error instanceof StoreError)) throw error;
  }
}

function firstOf(
  component: string,
  about: KubeObject,
  event: EventText,
  at: { readonly namespace: string; readonly name: string; readonly now: Date },
): KubeObject {
  const involved = {
    apiVersion: about.apiVersion,
    kind: about.kind,
    name: about.metadata.name,
    ...(about.metadata.namespace === undefined ? {} : { namespace: about.metadata.namespace }),
    uid: about.metadata.uid,
    ...(about.metadata.resourceVersion === undefined ? {} : { resourceVersion: about.metadata.resourceVersion }),
  };
  const common = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: at.name, namespace: at.namespace },
    involvedObject: involved,
    reason: event.reason,
    message: event.message,
    type: event.type,
    reportingComponent: component,
  };
  if (event.action !== undefined) {
    const instance = `${component}-simulated`;
    return {
      ...common,
      action: event.action,
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: microTimestamp(at.now),
      reportingInstance: instance,
    };
  }
  const stamp = timestamp(at.now);
  return {
    ...common,
    source: { component },
    firstTimestamp: stamp,
    lastTimestamp: stamp,
    count: 1,
    eventTime: null,
    reportingInstance: '',
  };
}

function repeated(earlier: KubeObject, event: EventText, now: Date): KubeObject {
  const { resourceVersion: _, ...metadata } = earlier.metadata;
  if (event.action === undefined)
    return { ...earlier, metadata, count: Number(earlier.count ?? 1) + 1, lastTimestamp: timestamp(now) };
  const series = earlier.series as { readonly count: number } | undefined;
  return { ...earlier, metadata, series: { count: (series?.count ?? 1) + 1, lastObservedTime: microTimestamp(now) } };
}
