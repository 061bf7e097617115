import type { Timers } from '@hephaisto/core/ports/clock';
import type { FeedState, FeedTarget } from '@hephaisto/core/ports/object-feed';

/** Feeds of which changes may be missing at this moment. */
export interface Behind {
  state(target: FeedTarget, state: FeedState): void;
  /** Whether changes of the resource's objects in the namespace may be missing. */
  has(resource: string, namespace: string): boolean;
}

/** A watch that comes back first delivers what happened meanwhile. */
const CATCH_UP_MS = 1_000;

/**
 * Tells which feeds are cut off. Faults and recoveries that count by lasting wait for them: while the API server is away a pod that was
 * starting would become a fault, and a container that was up between two crashes would be reported as recovered. A forbidden feed is not
 * waited for, since it may stay so; its conditions are unknown.
 */
export function createBehind(timers: Pick<Timers, 'after'>, onCaughtUp: () => void): Behind {
  const behind = new Map<FeedTarget, () => void>();
  return {
    state(target, state) {
      const cancel = behind.get(target);
      if (state.kind === 'failing') {
        cancel?.();
        behind.set(target, () => undefined);
      } else if (state.kind === 'forbidden') {
        cancel?.();
        behind.delete(target);
        onCaughtUp();
      } else if (state.kind === 'watching' && cancel !== undefined) {
        cancel();
        const caughtUp = (): void => {
          behind.delete(target);
          onCaughtUp();
        };
        behind.set(target, timers.after(CATCH_UP_MS, caughtUp));
      }
    },
    has: (resource, namespace) =>
      [...behind.keys()].some(
        (target) => target.resource === resource && (target.namespace === '' || target.namespace === namespace),
      ),
  };
}
