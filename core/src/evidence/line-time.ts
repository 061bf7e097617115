/** The time that stands before a line, and where the line itself begins. `millis` is absent where the form has no full date. */
export interface LineTime {
  readonly end: number;
  readonly millis?: number;
}

const NONE: LineTime = { end: 0 };

/**
 * Leading forms: RFC 3339 with T or space, fractions by point or comma, offsets, slashes as Go's logger writes them, brackets around;
 * klog's `I0102 15:04:05.000000`; syslog's `Jan  2 15:04:05`; the web servers' `02/Jan/2026:15:04:05 +0000`; seconds since 1970.
 */
const FORMS: readonly { readonly form: RegExp; readonly millis?: (match: RegExpExecArray) => number }[] = [
  {
    form: /\[?(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?\]?[ \t]*/y,
    millis: (m) => {
      const utc = Date.UTC(+(m[1] ?? 0), +(m[2] ?? 1) - 1, +(m[3] ?? 1), +(m[4] ?? 0), +(m[5] ?? 0), +(m[6] ?? 0));
      return utc + Math.floor(Number(`0.${m[7] ?? 0}`) * 1000) - offsetMillis(m[8]);
    },
  },
  { form: /[IWEF]\d{4} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})? */y },
  { form: /(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d{2}:\d{2}:\d{2}(?:\.\d{1,9})? */y },
  {
    form: /\[?\d{2}\/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\/\d{4}:\d{2}:\d{2}:\d{2}(?: [+-]\d{4})?\]? */y,
  },
  { form: /\[?\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\]? +/y },
  {
    form: /(1\d{9})(?:\.(\d{1,9}))? +/y,
    millis: (m) => Number(m[1]) * 1000 + Math.floor(Number(`0.${m[2] ?? 0}`) * 1000),
  },
  { form: /(1\d{12}) +/y, millis: (m) => Number(m[1]) },
];

const STARTS = new Uint8Array(128);
for (const start of '0123456789[IWEFJMASOND') STARTS[start.charCodeAt(0)] = 1;

/** Where the leading time of the line that begins at `from` ends; `from` itself when it has none. */
export function skipLeadingTime(text: string, from: number): number {
  if (STARTS[text.charCodeAt(from)] !== 1) return from;
  for (const { form } of FORMS) {
    form.lastIndex = from;
    if (form.test(text)) return form.lastIndex;
  }
  return from;
}

/** The leading time of a line, or none. */
export function leadingTime(line: string): LineTime {
  if (STARTS[line.charCodeAt(0)] !== 1) return NONE;
  for (const { form, millis } of FORMS) {
    form.lastIndex = 0;
    const match = form.exec(line);
    if (match === null) continue;
    const at = millis?.(match);
    return at === undefined || Number.isNaN(at) ? { end: match[0].length } : { end: match[0].length, millis: at };
  }
  return NONE;
}

function offsetMillis(offset: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(offset ?? '');
  if (match === null) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * 60_000;
}

/**
 * The form that the kubelet writes before each line, `2026-01-01T00:00:00.123456789Z `, read without a regular expression since it stands
 * on every line. Returns where it ends, or -1.
 */
export function kubeletTimeEnd(text: string, from: number, to: number): number {
  if (to - from < 21 || text.charCodeAt(from + 4) !== 45 || text.charCodeAt(from + 10) !== 84) return -1;
  if (text.charCodeAt(from + 7) !== 45 || text.charCodeAt(from + 13) !== 58) return -1;
  const space = text.indexOf(' ', from + 19);
  if (space < 0 || space >= to || space > from + 36) return -1;
  return space + 1;
}
