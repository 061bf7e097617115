/**
 * What a Kubernetes API server answered instead of what was asked for.
 * `code` is the HTTP status, 0 when no answer came; `reason` is the Status object's reason, or `Unreachable`.
 */
export class KubeApiError extends Error {
  readonly code: number;
  readonly reason: string;
  /** True when the same request may well succeed later: no answer, 429, 5xx except 501. */
  readonly retryable: boolean;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.name = 'KubeApiError';
    this.code = code;
    this.reason = reason;
    this.retryable = code === 0 || code === 429 || (code >= 500 && code !== 501);
  }
}

/** True when `error` is an API answer with one of the given HTTP status codes. */
export function isKubeCode(error: unknown, ...codes: readonly number[]): error is KubeApiError {
  return error instanceof KubeApiError && codes.includes(error.code);
}

interface StatusBody {
  readonly kind?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
}

/** Reads a Status object out of an error body; a body that is none becomes the message. */
export function errorFromBody(code: number, body: string): KubeApiError {
  try {
    const parsed = JSON.parse(body) as StatusBody;
    if (parsed.kind === 'Status') {
      return new KubeApiError(code, String(parsed.reason ?? 'Unknown'), String(parsed.message ?? `status ${code}`));
    }
  } catch {
    // not JSON: proxies and kubelets answer in plain text
  }
  return new KubeApiError(code, 'Unknown', body.trim() === '' ? `the API server answered ${code}` : body.trim());
}
