import type { Container } from '../kube-client/pod.ts';
import type { Life } from './container-record.ts';

const READY_AFTER_SECONDS = 2;
const PERIOD_SECONDS = 10;
/** A process that comes up as most do is never seen failing its probe. */
const FIRST_PROBE_SECONDS = 3;

/** Seconds of a story as milliseconds of the wall clock. */
export function wall(seconds: number, speed: number): number {
  return (seconds * 1000) / speed;
}

/** Whether a running life counts as ready at `now`; without a readiness probe, running is enough. */
export function isReady(container: Container, life: Life, now: number, speed: number): boolean {
  if (container.readinessProbe === undefined) return true;
  const { readyAfter = READY_AFTER_SECONDS, unready = [] } = life.script;
  if (readyAfter === 'never' || now < life.startedAt + wall(readyAfter, speed)) return false;
  return !unready.some(
    (span) => now >= life.startedAt + wall(span.from, speed) && now < life.startedAt + wall(span.to, speed),
  );
}

/** The next instant after `now` at which readiness may change; undefined when it will not by itself. */
export function nextReadinessChange(container: Container, life: Life, now: number, speed: number): number | undefined {
  if (container.readinessProbe === undefined) return undefined;
  const { readyAfter = READY_AFTER_SECONDS, unready = [] } = life.script;
  if (readyAfter === 'never') return undefined;
  const changes = [readyAfter, ...unready.flatMap((span) => [span.from, span.to])];
  const later = changes.map((seconds) => life.startedAt + wall(seconds, speed)).filter((at) => at > now);
  return later.length === 0 ? undefined : Math.min(...later);
}

/** Wall milliseconds from start to the first probe, and between probes. */
export function probeTimes(container: Container, speed: number): { readonly first: number; readonly period: number } {
  const probe = container.readinessProbe;
  const period = wall(probe?.periodSeconds ?? PERIOD_SECONDS, speed);
  return { first: wall((probe?.initialDelaySeconds ?? 0) + FIRST_PROBE_SECONDS, speed), period };
}
