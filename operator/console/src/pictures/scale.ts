/** Maps a stretch of time onto a width. A stretch without length lies in the middle. */
export function timeScale(from: number, to: number, width: number): (at: number) => number {
  const length = to - from;
  return (at) => (length <= 0 ? width / 2 : Math.min(width, Math.max(0, ((at - from) / length) * width)));
}

/** A path that keeps each value until the next one: what was not measured is not drawn as a slope. */
export function stepPath(points: readonly (readonly [x: number, y: number])[], end: number): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const one = (n: number): string => n.toFixed(1);
  return `M${one(first[0])} ${one(first[1])}${rest.map(([x, y]) => `H${one(x)}V${one(y)}`).join('')}H${one(end)}`;
}

const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400, 604_800];

/** Round moments within the stretch, at most `most` of them, in milliseconds. */
export function timeTicks(from: number, to: number, most: number): readonly number[] {
  const step = (STEPS_S.find((seconds) => (to - from) / 1000 / seconds <= most) ?? 2_592_000) * 1000;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
