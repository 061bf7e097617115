import { crashLoop } from '../../../operator/src/demo/stories/recurring-parts.ts';
import type { WorldStep } from '../../../operator/src/demo/stories/story.ts';
import {
  wrongAddressBehaviours,
  wrongAddressManifests,
  wrongAddressRollout,
} from '../../../operator/src/demo/stories/wrong-address.ts';
import type { Plot } from './plot.ts';

/** A Deployment whose next rollout brings an address that cannot be parsed. */
export const CHECKOUT = {
  workload: 'checkout',
  image: 'checkout:2.4.0',
  replicas: 2,
  variable: 'PAYMENTS_URL',
  good: 'http://payments:8080',
  wrong: 'http://payments:8O80',
};
export const ALL_UP: WorldStep = {
  do: 'wait-until',
  note: 'all is up',
  until: { kind: 'all-rolled-out' },
  withinSeconds: 3_000,
};

/** Waits until the workload's containers crash, with the patience that a busy machine needs. */
export function crashing(workload: string): WorldStep {
  return { ...crashLoop(workload), withinSeconds: 3_000 } as WorldStep;
}

/** Any step with that patience. */
export function patient(step: WorldStep): WorldStep {
  return step.do === 'wait-until' ? { ...step, withinSeconds: 3_000 } : step;
}

export function waitsForAll(step: WorldStep): boolean {
  return step.do === 'wait-until' && step.until.kind === 'all-rolled-out';
}

/** The same steps with Deployments whose controller never calls their rollout failed. */
export function neverGivenUp(timeline: readonly WorldStep[]): readonly WorldStep[] {
  return timeline.map((step) =>
    step.do === 'apply'
      ? {
          ...step,
          manifests: step.manifests.map((manifest) =>
            manifest.kind === 'Deployment'
              ? { ...manifest, spec: { ...(manifest.spec as object), progressDeadlineSeconds: 100_000 } }
              : manifest,
          ),
        }
      : step,
  );
}

export const BROKEN_ROLLOUT = {
  behaviours: wrongAddressBehaviours(CHECKOUT),
  timeline: [
    { do: 'apply', note: 'checkout is installed', manifests: wrongAddressManifests(CHECKOUT) },
    ALL_UP,
    wrongAddressRollout(CHECKOUT),
    crashing('checkout'),
  ],
} as const satisfies Partial<Plot>;
