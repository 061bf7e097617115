/**
 * The time of the page, which only moves forward: by the larger of what the clock of the device and what its monotonic clock say has passed. The first
 * may be set back, which would make an old screen look fresh; the second may stand still while the device sleeps.
 */
export function createPageClock(
  wallMs: () => number = Date.now,
  elapsedMs: () => number = () => performance.now(),
): () => number {
  let wall = wallMs();
  let elapsed = elapsedMs();
  let now = wall;
  return () => {
    const [nextWall, nextElapsed] = [wallMs(), elapsedMs()];
    now += Math.max(0, nextWall - wall, nextElapsed - elapsed);
    wall = nextWall;
    elapsed = nextElapsed;
    return now;
  };
}
