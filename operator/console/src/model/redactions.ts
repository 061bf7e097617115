/** A stretch of what was sent, and whether it stands where a value was taken out. */
export interface SentStretch {
  readonly text: string;
  readonly redacted: boolean;
}

const MARK = /\[redacted(?::\d+)?\]/g;

/** The text cut at its marks, in order, nothing left out. */
export function sentStretches(body: string): readonly SentStretch[] {
  const stretches: SentStretch[] = [];
  let from = 0;
  for (const match of body.matchAll(MARK)) {
    if (match.index > from) stretches.push({ text: body.slice(from, match.index), redacted: false });
    stretches.push({ text: match[0], redacted: true });
    from = match.index + match[0].length;
  }
  if (from < body.length) stretches.push({ text: body.slice(from), redacted: false });
  return stretches;
}

/** The request laid out for reading, with its line ends; undefined for one that is not JSON. Shown beside the exact bytes, never instead. */
export function laidOut(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return JSON.stringify(parsed, null, 2).replaceAll('\\n', '\n      ').replaceAll('\\"', '"');
  } catch {
    return undefined;
  }
}
