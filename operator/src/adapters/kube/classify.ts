import type { KubeFailure } from '@hephaisto/core/ports/kube';

/** What an API server answered with a status that is not a success. */
export interface RefusedAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

/** Turns an answer outside 2xx into a failure; the message is the API server's own where its body is a Status object. */
export function classifyAnswer(answer: RefusedAnswer): KubeFailure {
  const retryAfterSeconds = parseRetryAfter(answer.retryAfter);
  const status = readStatus(answer.text);
  return {
    kind: 'failure',
    reason: reasonOf(answer.status),
    status: answer.status,
    message: status.message ?? `the API server answered ${answer.status}`,
    ...(status.budget ? { cause: 'disruption-budget' as const } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

function reasonOf(status: number): KubeFailure['reason'] {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 409) return 'conflict';
  if (status === 410) return 'gone';
  if (status === 429) return 'too-many-requests';
  // A gateway timeout comes after the request was passed on, so a write may have happened.
  if (status === 408 || status === 504) return 'timeout';
  if (status >= 500 && status !== 501) return 'server-error';
  if (status >= 400) return 'invalid';
  return 'malformed';
}

const LONGEST_MESSAGE = 2_000;

/** The message of a Status object, with the causes that say more than it: an eviction's names the disruption budget there alone. */
function readStatus(text: string): { readonly message: string | undefined; readonly budget: boolean } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string') {
      const causes = budgetCauses('details' in body ? body.details : undefined);
      const message = [body.message, ...causes].join(' ').slice(0, LONGEST_MESSAGE);
      return { message, budget: causes.length > 0 };
    }
  } catch {
    // Proxies and load balancers in between answer in HTML or plain text; the first line says enough.
  }
  const line = text.trim().split('\n', 1)[0];
  return { message: line === undefined || line === '' ? undefined : line.slice(0, 200), budget: false };
}

const MAX_CAUSES = 4;

function budgetCauses(details: unknown): readonly string[] {
  if (typeof details !== 'object' || details === null || !('causes' in details) || !Array.isArray(details.causes))
    return [];
  const causes: readonly unknown[] = details.causes.slice(0, MAX_CAUSES);
  return causes.flatMap((cause) =>
    typeof cause === 'object' &&
    cause !== null &&
    'reason' in cause &&
    cause.reason === 'DisruptionBudget' &&
    'message' in cause &&
    typeof cause.message === 'string'
      ? [cause.message]
      : [],
  );
}

/** A watch that waits for longer is blind for longer than a server, or a proxy before it, has reason to ask for. */
const MAX_RETRY_AFTER_SECONDS = 60;

function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}

/** What is known about a request that brought no answer. */
export interface BrokenCall {
  /** The connection was ready for bytes, so the server may have received the request. */
  readonly connected: boolean;
  readonly timedOut: boolean;
  readonly message: string;
}

/** `unsent` only when the connection never became ready: the request was still in our own buffer. */
export function classifyBroken(call: BrokenCall): KubeFailure {
  if (!call.connected) return { kind: 'failure', reason: 'unsent', message: call.message };
  return { kind: 'failure', reason: call.timedOut ? 'timeout' : 'cut', message: call.message };
}
