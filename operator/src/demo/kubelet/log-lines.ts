import type { Life } from './container-record.ts';
import { wall } from './readiness.ts';

/** One line of a container's log and when it was written. */
export interface WrittenLine {
  readonly at: number;
  readonly text: string;
}

/** Heartbeats beyond this many are not kept, as a runtime rotates its files. */
const KEPT = 2_000;

function written(at: number, text: string, life: Life): WrittenLine {
  const filled = text.replaceAll(/\{([a-z]+(?:\.[A-Za-z0-9_]+)?)\}/g, (whole, name: string) =>
    name === 'time' ? new Date(at).toISOString() : (life.names[name] ?? whole),
  );
  return { at, text: filled };
}

/** Everything this life has written until `now` (or its end), oldest first. Computed, not stored: a log costs nothing to keep. */
export function linesUntil(life: Life, now: number, speed: number): readonly WrittenLine[] {
  const until = Math.min(now, life.end?.at ?? now);
  const { log = [], heartbeat } = life.script;
  const lines = log
    .map((line) => written(life.startedAt + wall(line.at, speed), line.text, life))
    .filter((line) => line.at <= until);
  if (heartbeat === undefined) return lines;
  const every = Math.max(1, wall(heartbeat.everySeconds, speed));
  const last = Math.floor((until - life.startedAt) / every);
  for (let beat = Math.max(1, last - KEPT); beat <= last; beat += 1) {
    lines.push(written(life.startedAt + beat * every, heartbeat.text, life));
  }
  return lines.sort((one, other) => one.at - other.at);
}
