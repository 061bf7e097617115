export interface LogLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** A line of the log that is kept for what it says, or for standing near such a line. */
export interface NotableLine extends LogLine {
  /** Whether the line itself matches; false for its neighbours. */
  readonly matches: boolean;
  /** Of a pattern not seen before, or the neighbour of such a line: kept first when room is short. */
  readonly novel: boolean;
}

/** Words that name trouble. Case does not matter, except for OOM, which else stands in every room. */
const NOTABLE =
  /[pP][aA][nN][iI][cC]|[fF][aA][tT][aA][lL]|[eE][xX][cC][eE][pP][tT][iI][oO][nN]|OOM|[rR][eE][fF][uU][sS][eE][dD]|[tT][iI][mM][eE][oO][uU][tT]|[uU][nN][aA][uU][tT][hH][oO][rR][iI][zZ][eE][dD]|[dD][eE][nN][iI][eE][dD]/;

export const CONTEXT_LINES = 3;
/** How often a pattern counts as news: the second occurrence often differs in what stands around it. */
const NOVEL_OCCURRENCES = 2;
const MOST_NOVEL = 48;
const MOST_RECENT = 16;
const LONGEST_WINDOW_LINES = 32;

interface Window {
  readonly first: number;
  readonly lines: { readonly text: string; matches: boolean }[];
  novel: boolean;
}

/** A window in the present chunk, as offsets: nothing is copied until the chunk ends, and most windows are overwritten before that. */
interface OpenWindow {
  firstLine: number;
  start: number;
  end: number;
  lineCount: number;
  novel: boolean;
  before: readonly LogLine[];
}

export interface NotableWindows {
  begin(text: string, linesBefore: number, tailBefore: readonly LogLine[]): void;
  /** Called for each line in order; `occurrence` says the how manieth of its pattern it is, `matches` whether it names trouble. */
  line(from: number, to: number, occurrence: number, matches: boolean): void;
  end(): void;
  kept(): readonly NotableLine[];
}

export function isNotable(line: string): boolean {
  return NOTABLE.test(line);
}

/** Collects notable lines with their neighbours: every new pattern, and the latest of the others. Bounded over any log. */
export function createNotableWindows(show: (text: string, from: number, to: number) => string): NotableWindows {
  const novel: Window[] = [];
  let recent: Window[] = [];
  let open: OpenWindow[] = [];
  let chunk = '';
  let linesBefore = 0;
  let tailBefore: readonly LogLine[] = [];
  let lineNumber = 0;
  let after = 0;
  const previous = new Int32Array(CONTEXT_LINES);

  function startWindow(from: number, to: number, isNovel: boolean): void {
    const inChunk = lineNumber - linesBefore - 1;
    const context = Math.min(CONTEXT_LINES, inChunk);
    const missing = CONTEXT_LINES - context;
    open.push({
      firstLine: lineNumber - context,
      start: context === 0 ? from : (previous[(lineNumber - context) % CONTEXT_LINES] ?? from),
      end: to,
      lineCount: context + 1,
      novel: isNovel,
      before: missing === 0 ? [] : tailBefore.slice(-missing),
    });
    if (open.length > 4 * MOST_RECENT) open = thin(open);
  }

  return {
    begin(text, lines, tail) {
      chunk = text;
      linesBefore = lines;
      lineNumber = lines;
      tailBefore = tail;
      open = [];
      if (after > 0) open.push({ firstLine: lines + 1, start: 0, end: 0, lineCount: 0, novel: true, before: [] });
    },
    line(from, to, occurrence, matches) {
      lineNumber += 1;
      const current = open.at(-1);
      if (matches) {
        const isNovel = occurrence <= NOVEL_OCCURRENCES;
        if (after > 0 && current !== undefined && current.lineCount < LONGEST_WINDOW_LINES) {
          current.end = to;
          current.lineCount += 1;
          current.novel ||= isNovel;
        } else startWindow(from, to, isNovel);
        after = CONTEXT_LINES;
      } else if (after > 0) {
        after -= 1;
        if (current !== undefined) {
          current.end = to;
          current.lineCount += 1;
        }
      }
      previous[lineNumber % CONTEXT_LINES] = from;
    },
    end() {
      for (const window of thin(open)) {
        const materialised = materialise(window, chunk, show);
        if (window.novel && novel.length < MOST_NOVEL) novel.push(materialised);
        else recent.push(materialised);
      }
      recent = recent.slice(-MOST_RECENT);
      open = [];
    },
    kept: () => merge([...novel, ...recent]),
  };
}

/** All new patterns, and the last of the others. */
function thin(windows: readonly OpenWindow[]): OpenWindow[] {
  const known = windows.filter((window) => !window.novel);
  const dropped = new Set(known.slice(0, Math.max(0, known.length - MOST_RECENT)));
  return windows.filter((window) => window.lineCount > 0 && !dropped.has(window));
}

function materialise(
  window: OpenWindow,
  chunk: string,
  show: (text: string, from: number, to: number) => string,
): Window {
  const lines = window.before.map(({ text }) => ({ text, matches: isNotable(text) }));
  let from = window.start;
  while (from <= window.end && lines.length < window.lineCount + window.before.length) {
    let end = chunk.indexOf('\n', from);
    if (end < 0) end = chunk.length;
    const to = end > from && chunk.charCodeAt(end - 1) === 13 ? end - 1 : end;
    const text = show(chunk, from, to);
    lines.push({ text, matches: isNotable(text) });
    from = end + 1;
  }
  return { first: window.firstLine - window.before.length, lines, novel: window.novel };
}

/** In the log's order, each line once. */
function merge(windows: readonly Window[]): readonly NotableLine[] {
  const lines = new Map<number, NotableLine>();
  for (const { first, lines: texts, novel } of windows) {
    for (const [index, { text, matches }] of texts.entries()) {
      const number = first + index;
      const known = lines.get(number);
      lines.set(number, { number, text, matches, novel: novel || (known?.novel ?? false) });
    }
  }
  return [...lines.values()].sort((a, b) => a.number - b.number);
}
