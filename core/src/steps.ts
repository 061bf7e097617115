/** Work that may be left off between two steps, so that a long text does not hold the event loop. */
export type Steps<T = void> = Generator<undefined, T, undefined>;

/** Does work that comes in steps at one go. */
export function finish<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
