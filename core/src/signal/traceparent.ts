/** A position in a trace: 32 and 16 hexadecimal digits, neither all zero. */
export interface TracePosition {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Reads the header `traceparent` as W3C defines it. Undefined for anything else: a broken trace is no reason to refuse what came with it. */
export function readTraceparent(header: unknown): TracePosition | undefined {
  const [, version, traceId, spanId, flags] = (typeof header === 'string' && FORM.exec(header.trim())) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Version ff is forbidden, and only later versions may carry more after the flags.
  if (version === 'ff' || (version === '00' && String(header).trim().length !== 55)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function writeTraceparent({ traceId, spanId, flags }: TracePosition): string {
  return `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, '0')}`;
}
