import type { Container, Pod, PodSpec } from '../kube-client/pod.ts';
import type { Behaviour } from '../stories/behaviour.ts';
import { acceptPod, type PodRecord } from './pod-record.ts';
import { type PodStep, stepPod } from './pod-step.ts';
import { decideStart, type StartFacts } from './start-decision.ts';

export const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);

export const NO_FACTS: StartFacts = { secrets: {}, configMaps: {}, readyEndpoints: {}, markers: new Set(), ordinal: 0 };

export function container(overrides: Partial<Container> = {}): Container {
  return { name: 'app', image: 'shop/app:1', readinessProbe: {}, ...overrides };
}

export function pod(spec: Partial<PodSpec> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'app-1',
      namespace: 'shop',
      uid: 'uid-1',
      labels: { 'app.kubernetes.io/name': 'app' },
      ...metadata,
    },
    spec: { nodeName: 'node-a', containers: [container()], ...spec },
  };
}

/** One pod on a clock of its own, stepped exactly when it asks to be. */
export interface Played {
  readonly record: PodRecord;
  readonly now: number;
  readonly steps: readonly PodStep[];
}

/** Plays the pod for `seconds` (speed 1, images present unless said) and returns where it got to. */
export function play(
  subject: Pod,
  behaviours: readonly Behaviour[],
  seconds: number,
  options: { facts?: StartFacts; imagePresent?: boolean; from?: PodRecord; at?: number } = {},
): Played {
  const begin = options.at ?? NOW;
  let record = options.from ?? acceptPod(subject, begin, begin, '10.244.0.2');
  let now = begin;
  const steps: PodStep[] = [];
  for (;;) {
    const step = stepPod(record, {
      pod: subject,
      now,
      speed: 1,
      imagePresent: () => options.imagePresent ?? true,
      decide: (each, known) => decideStart(subject, each, known, behaviours, options.facts ?? NO_FACTS),
      lostServices: new Set(),
      mountErrors: [],
    });
    steps.push(step);
    record = step.record;
    if (step.gone || step.wakeAt === undefined || step.wakeAt > begin + seconds * 1000) break;
    now = Math.max(now, step.wakeAt);
  }
  return { record, now: begin + seconds * 1000, steps };
}

/** Reasons of the Events told in these steps, in order. */
export function reasons(steps: readonly PodStep[]): readonly string[] {
  return steps.flatMap((step) => step.effects.flatMap((effect) => (effect.kind === 'event' ? [effect.reason] : [])));
}

/** Messages of the Events with this reason. */
export function messages(steps: readonly PodStep[], reason: string): readonly string[] {
  return steps.flatMap((step) =>
    step.effects.flatMap((effect) => (effect.kind === 'event' && effect.reason === reason ? [effect.message] : [])),
  );
}
