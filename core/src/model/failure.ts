import type { SpendRefusal } from './budget.ts';

/**
 * Why a call brought no answer. `cut`: the connection ended in the middle. `stalled-*`: nothing came for too long, before the first byte or
 * after it. `refused-*` came from us, before anything was sent.
 */
export const FAILURE_REASONS = [
  'invalid',
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'server-error',
  'unavailable',
  'stalled-first-byte',
  'stalled-idle',
  'cut',
  'unreachable',
  'deadline',
  'malformed',
  'too-large',
  'context-too-long',
  'truncated',
  'refused-breaker',
  'refused-budget',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export interface ModelFailure {
  readonly kind: 'failure';
  readonly reason: FailureReason;
  readonly message: string;
  readonly status?: number;
  /** What the server asks us to wait. */
  readonly retryAfterMs?: number;
  /** Which budget refused, where one did. */
  readonly budget?: SpendRefusal;
}

/** What came back over HTTP when it was no answer. Header names are lower case. */
export interface HttpRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const LONGEST_DETAIL = 300;

/** Reads a refusal of any provider. The body's words are shown cut, and never decide more than whether the context was too long. */
export function failureOfHttp({ status, headers, body }: HttpRefusal): ModelFailure {
  const retryAfterMs = retryAfter(headers, body);
  const reason = reasonOf(status, body);
  const detail = detailOf(body);
  return {
    kind: 'failure',
    reason,
    status,
    message: `the model's server answered ${status}${detail === '' ? '' : `: ${detail}`}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function reasonOf(status: number, body: string): FailureReason {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 429) return 'rate-limited';
  if (status === 413) return 'context-too-long';
  if (status === 408 || status === 503 || status === 529) return 'unavailable';
  if (status >= 500) return 'server-error';
  return /context.{0,20}length|maximum context|too many tokens|exceeds the maximum number of tokens/i.test(body)
    ? 'context-too-long'
    : 'invalid';
}

function detailOf(body: string): string {
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.){1,1000})"/.exec(body)?.[1] ?? body;
  const flat = message.replace(/\s+/gu, ' ').trim();
  return flat.length <= LONGEST_DETAIL ? flat : `${flat.slice(0, LONGEST_DETAIL).toWellFormed()}…`;
}

/** `Retry-After` in seconds, `retry-after-ms`, or the provider's RetryInfo in the body. */
function retryAfter(headers: Readonly<Record<string, string>>, body: string): number | undefined {
  const precise = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(precise)) return Math.max(0, precise);
  const seconds = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const info = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return info === undefined ? undefined : Number(info) * 1_000;
}

const WORTH_ANOTHER_TRY: readonly FailureReason[] = [
  'rate-limited',
  'server-error',
  'unavailable',
  'stalled-first-byte',
  'stalled-idle',
  'cut',
  'unreachable',
  'malformed',
];

export type RetryVerdict =
  | { readonly kind: 'again'; readonly reason: 'transient'; readonly afterMs: number; readonly message: string }
  | {
      readonly kind: 'give-up';
      readonly reason: 'not-transient' | 'tries-used' | 'no-time-left';
      readonly message: string;
    };

/**
 * Whether a failed call is tried again. The wait doubles from `firstMs`, with up to a fifth of jitter by `random` (0..1), and is never
 * shorter than what the server asks; a wait that would pass the deadline is not begun.
 */
export function judgeRetry(
  failure: ModelFailure,
  tried: number,
  limits: { readonly tries: number; readonly firstMs: number; readonly longestMs: number; readonly leftMs: number },
  random: number,
): RetryVerdict {
  if (!WORTH_ANOTHER_TRY.includes(failure.reason))
    return { kind: 'give-up', reason: 'not-transient', message: failure.message };
  if (tried >= limits.tries)
    return { kind: 'give-up', reason: 'tries-used', message: `${failure.message} (tried ${tried} times)` };
  const backoff = Math.min(limits.longestMs, limits.firstMs * 2 ** (tried - 1)) * (1 + 0.2 * random);
  const afterMs = Math.round(Math.max(backoff, failure.retryAfterMs ?? 0));
  if (afterMs >= limits.leftMs)
    return {
      kind: 'give-up',
      reason: 'no-time-left',
      message: `${failure.message}; another try is due in ${afterMs} ms, ${Math.max(0, Math.round(limits.leftMs))} ms are left`,
    };
  return { kind: 'again', reason: 'transient', afterMs, message: failure.message };
}
