import { ordinaryLines } from '../../core/src/evidence/ordinary-lines.fixture.ts';
import { createRedactor } from '../../core/src/evidence/redact.ts';
import { median } from './intake.ts';

const MEBIBYTE = 1_048_576;
const ROUNDS = 5;

/** Texts that are made to cost the most, beside the usual one. */
const UNITS = ["auth='a ", '@tcp(', 'token: ', 'token=a,a', '-----BEGIN PRIVATE KEY-----'];

export interface RedactionFigures {
  readonly ordinaryMs: number;
  /** Of the text among those made to cost the most that costs the most. */
  readonly hostileMs: number;
  /** The longest that any of these texts holds the event loop. */
  readonly longestStepMs: number;
}

/** What redaction of 1 MiB of log costs: the median of the rounds for each text. */
export function measureRedaction(): RedactionFigures {
  const ordinary = rounds(ordinaryLines(20_000).join('\n').slice(0, MEBIBYTE));
  const hostile = UNITS.map((unit) => rounds(unit.repeat(MEBIBYTE / unit.length)));
  return {
    ordinaryMs: ordinary.totalMs,
    hostileMs: Math.max(...hostile.map(({ totalMs }) => totalMs)),
    longestStepMs: Math.max(...[ordinary, ...hostile].map(({ stepMs }) => stepMs)),
  };
}

function rounds(text: string): { readonly totalMs: number; readonly stepMs: number } {
  const all = Array.from({ length: ROUNDS }, () => redactOnce(text));
  return { totalMs: median(all.map(({ totalMs }) => totalMs)), stepMs: median(all.map(({ stepMs }) => stepMs)) };
}

function redactOnce(text: string): { readonly totalMs: number; readonly stepMs: number } {
  const begin = performance.now();
  const steps = createRedactor().deepInSteps(text);
  let stepMs = 0;
  for (let since = begin, done = false; !done; ) {
    done = steps.next().done === true;
    const now = performance.now();
    stepMs = Math.max(stepMs, now - since);
    since = now;
  }
  return { totalMs: performance.now() - begin, stepMs };
}
