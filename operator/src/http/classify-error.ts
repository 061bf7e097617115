import { errors } from 'undici';
import type { HttpFailureReason } from './failure.ts';

/** How far an exchange had come. */
export type Phase = 'connect' | 'headers' | 'body';

const UNTRUSTED =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET_ISSUER|VERIFY)|ERR_TLS_CERT_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA|UND_ERR_PRX_TLS)/;
const DNS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA']);
const INVALID = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'ERR_INVALID_URL']);

/** Maps an error of the HTTP library to a reason. `proxied` states that the connection leads to a proxy first. */
export function classifyError(error: unknown, phase: Phase, proxied: boolean): HttpFailureReason {
  const code = codeOf(error);
  if (INVALID.has(code)) return 'invalid-call';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'headers-too-large';
  if (error instanceof errors.HTTPParserError) return 'malformed';
  if (phase !== 'connect') return 'cut';
  if (UNTRUSTED.test(code)) return 'untrusted';
  if (proxied) return 'proxy';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'connect-timeout';
  return DNS.has(code) ? 'unresolved' : 'unreachable';
}

const MAX_CAUSES = 4;

/** The first code among an error and its causes. */
function codeOf(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof current === 'object' && current !== null; depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = 'cause' in current ? current.cause : undefined;
  }
  return '';
}

/** One sentence of an error. A connection tried at several addresses has no message of its own, only those of its parts. */
export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.slice(0, 2).map(textOf).join(', ');
  const text = error instanceof Error ? error.message : String(error);
  return text === '' ? codeOf(error) || 'an error without a message' : text;
}
