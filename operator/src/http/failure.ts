/** Reasons why an exchange brought no whole answer, with what may follow and what a person can do. */
const REASONS = {
  'invalid-call': { retry: 'terminal', next: 'correct the address or the headers' },
  unresolved: { retry: 'retryable', next: 'check the host name and the DNS of this pod' },
  unreachable: {
    retry: 'retryable',
    next: 'check that the server runs and that network policies allow the connection',
  },
  untrusted: { retry: 'terminal', next: 'configure the authority that signed the certificate' },
  proxy: { retry: 'retryable', next: 'check the proxy, or name the host in `network.noProxy`' },
  'connect-timeout': { retry: 'retryable', next: 'check the network between this pod and the server' },
  'headers-timeout': { retry: 'retryable', next: 'check the load of the server, or raise the timeout' },
  'idle-timeout': { retry: 'retryable', next: 'check the load of the server, or raise the timeout' },
  deadline: { retry: 'retryable', next: 'check the load of the server, or raise the timeout' },
  cut: { retry: 'retryable', next: 'check whether the server or a proxy before it restarted' },
  aborted: { retry: 'terminal', next: 'repeat the call if its answer is still needed' },
  'headers-too-large': { retry: 'terminal', next: 'check which server answers at this address' },
  'body-too-large': { retry: 'terminal', next: 'ask for less, or raise the limit' },
  malformed: { retry: 'terminal', next: 'check which server answers at this address' },
} as const satisfies Record<string, { readonly retry: 'retryable' | 'terminal'; readonly next: string }>;

export type HttpFailureReason = keyof typeof REASONS;

/** An exchange without a whole answer. A status outside 2xx is an answer, and no failure. */
export interface HttpFailure {
  readonly kind: 'failure';
  readonly reason: HttpFailureReason;
  /** `retryable` states only that a later try may succeed. A caller whose call is not idempotent reads `sent` as well. */
  readonly retry: 'retryable' | 'terminal';
  /** Whether the server may have received the request. False only when no connection was ready for it. */
  readonly sent: boolean;
  /** Expected, found, next. Names the host, never the path, the query or a credential. */
  readonly message: string;
  /** The part of the message that says what was found. */
  readonly found: string;
}

export type HttpResult<T> = { readonly kind: 'ok'; readonly value: T } | HttpFailure;

const MAX_FOUND_LENGTH = 300;

export interface FailureFacts {
  readonly reason: HttpFailureReason;
  readonly sent: boolean;
  readonly host: string;
  readonly found: string;
  /** Default: an answer. */
  readonly expected?: string;
}

export function httpFailure({ reason, sent, host, found, expected = 'an answer' }: FailureFacts): HttpFailure {
  const { retry, next } = REASONS[reason];
  const bounded = found.slice(0, MAX_FOUND_LENGTH);
  const message = `expected ${expected} from ${host}, found: ${bounded}; ${next}`;
  return { kind: 'failure', reason, retry, sent, message, found: bounded };
}

/** Carries a failure through a stream of body bytes, which can only throw. */
export class BrokenBodyError extends Error {
  readonly failure: HttpFailure;
  constructor(failure: HttpFailure) {
    super(failure.message);
    this.name = 'BrokenBodyError';
    this.failure = failure;
  }
}
