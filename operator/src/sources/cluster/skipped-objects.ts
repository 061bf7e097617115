import { type Raw, recordAt, textAt } from '@hephaisto/core/facts/raw';
import type { Intake } from './feeds.ts';

/**
 * Keeps one object that cannot be read from stopping the watch of all others. An object that was skipped is still there: its uid is kept
 * until the next complete list has been compared, or its conditions would end as if it had gone.
 */
export interface SkippedObjects {
  project<Item>(intake: Intake<Item>): (object: Raw) => Item | undefined;
  /** The same intake, whose `put` and `gone` never throw. */
  guard<Item>(intake: Intake<Item>): Intake<Item>;
  /** Uids of what was skipped since this was last asked. */
  take(): readonly string[];
}

export function createSkippedObjects(onSkipped: (error: unknown) => void): SkippedObjects {
  let uids: string[] = [];
  function apart(step: () => void): void {
    try {
      step();
    } catch (error: unknown) {
      onSkipped(error);
    }
  }
  return {
    project: (intake) => (object) => {
      try {
        return intake.project(object);
      } catch (error: unknown) {
        const uid = textAt(recordAt(object, 'metadata'), 'uid');
        if (uid !== undefined && uid !== '') uids.push(uid);
        onSkipped(error);
        return undefined;
      }
    },
    guard: (intake) => ({
      ...intake,
      put: (view, item) => apart(() => intake.put(view, item)),
      gone: (view, uid) => apart(() => intake.gone(view, uid)),
    }),
    take() {
      const taken = uids;
      uids = [];
      return taken;
    },
  };
}
