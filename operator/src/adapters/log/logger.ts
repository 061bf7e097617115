import type { LogFields, Logger } from '@hephaisto/core/ports/telemetry';
import pino from 'pino';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Takes away what must not be written down; applied to every text, however deep. */
  readonly redact: (text: string) => string;
  /** Receives each line with its line break. */
  readonly write: (line: string) => void;
  /** Trace under way, where there is one. */
  readonly traceId?: () => string | undefined;
}

const DEEPEST = 6;
const LONGEST_TEXT = 8_192;

/** A logger that writes one JSON line a call: time, level, logger, msg, and the fields given. Never throws. */
export function createLogger(name: string, options: LoggerOptions): Logger {
  const sink = pino(
    {
      level: options.level,
      base: { logger: name },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'msg',
    },
    { write: options.write },
  );
  function fields(given: LogFields | undefined): Record<string, unknown> {
    const trace = options.traceId?.();
    return { ...(trace === undefined ? {} : { trace_id: trace }), ...plainFields(given, options.redact) };
  }
  return {
    debug: (message, given) => sink.debug(fields(given), message),
    info: (message, given) => sink.info(fields(given), message),
    warn: (message, given) => sink.warn(fields(given), message),
    error: (message, given) => sink.error(fields(given), message),
  };
}

/** Names of fields whose value is a secret whatever it looks like. */
const SECRET_NAME = /^(authorization|cookie|set-cookie|token|password|passwd|secret|api_?key|csrf)$/i;

/** camelCase names become snake_case, so that lines can be searched by one spelling. */
function plainFields(given: LogFields | undefined, redact: (text: string) => string): Record<string, unknown> {
  if (given === undefined) return {};
  const entries = Object.entries(given).map(([key, value]) => {
    const name = key.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
    return [name, SECRET_NAME.test(key) ? '[redacted]' : plain(value, redact, 0)] as const;
  });
  return Object.fromEntries(entries);
}

function plain(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string')
    return redact(value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (depth >= DEEPEST) return '[too deep]';
  if (value instanceof Error) return plainError(value, redact, depth);
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => plain(item, redact, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      SECRET_NAME.test(key) ? '[redacted]' : plain(item, redact, depth + 1),
    ]),
  );
}

function plainError(error: Error, redact: (text: string) => string, depth: number): Record<string, unknown> {
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return {
    type: error.name,
    message: redact(error.message),
    ...code,
    ...(error.stack === undefined ? {} : { stack: redact(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: plain(error.cause, redact, depth + 1) }),
  };
}
