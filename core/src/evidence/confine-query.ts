/** A PromQL query that can see nothing of some namespaces, or why it cannot be made so. */
export type ConfinedQuery =
  | { readonly kind: 'confined'; readonly query: string }
  | { readonly kind: 'refused'; readonly reason: 'unreadable' | 'alternatives'; readonly message: string };

/** Labels in which exporters and scrape configurations name the namespace of a sample. */
export const NAMESPACE_LABELS = ['namespace', 'exported_namespace', 'kubernetes_namespace'] as const;

interface Token {
  readonly kind: 'word' | 'text' | 'mark';
  readonly text: string;
  readonly end: number;
}

/** Spaces and comments; texts in three quotes; names and numbers; anything else one by one. */
const BLANK = /\s+|#[^\n]*/uy;
const TOKEN = /(?:("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|([\p{L}\d_:.]+)|([^\s"'`#]))/uy;
const NAME = /^[\p{L}_:][\p{L}\d_:]*$/u;
const AGGREGATIONS =
  /^(?:sum|min|max|avg|group|stddev|stdvar|count|count_values|bottomk|topk|quantile|limitk|limit_ratio)$/i;
const LISTED = /^(?:by|without|on|ignoring|group_left|group_right)$/i;
const KEYWORDS = /^(?:and|or|unless|atan2|bool|offset|inf|nan|smoothed|anchored)$/i;

/**
 * Puts a matcher into every selector, so that no sum, no join and no renaming of labels can bring in what is closed: filtering the answer
 * could not tell what a sum was made of. A query that this does not read whole is refused.
 */
export function confineQuery(query: string, closed: readonly string[]): ConfinedQuery {
  if (closed.length === 0) return { kind: 'confined', query };
  const tokens = tokensOf(query);
  if (tokens === undefined) return refused('unreadable', 'expected a PromQL query, found text that is none');
  const pattern = closed.map((name) => name.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')).join('|');
  const matchers = NAMESPACE_LABELS.map((label) => `${label}!~${JSON.stringify(pattern)}`).join(',');
  const parts: string[] = [];
  let from = 0;
  const insert = (at: number, text: string) => {
    parts.push(query.slice(from, at), text);
    from = at;
  };
  let braces = 0;
  let list = 0;
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]?.text;
    if (token.text === '{') {
      braces += 1;
      insert(token.end, next === '}' ? matchers : `${matchers},`);
    } else if (token.text === '}') braces -= 1;
    else if (braces > 0) {
      if (token.kind === 'word' && /^or$/i.test(token.text))
        return refused('alternatives', 'alternatives within braces cannot be confined; ask for each by itself');
    } else if (list > 0) list += token.text === '(' ? 1 : token.text === ')' ? -1 : 0;
    else if (token.text === '(' && LISTED.test(tokens[index - 1]?.text ?? '')) list = 1;
    else if (isMetric(token, next)) insert(token.end, `{${matchers}}`);
  }
  if (braces !== 0) return refused('unreadable', 'expected each brace to be closed');
  return { kind: 'confined', query: parts.join('') + query.slice(from) };
}

/** A name that selects by itself, without braces. */
function isMetric({ kind, text }: Token, next: string | undefined): boolean {
  if (kind !== 'word' || !NAME.test(text) || next === '{' || next === '(') return false;
  if (AGGREGATIONS.test(text) && /^(?:by|without)$/i.test(next ?? '')) return false;
  return !LISTED.test(text) && !KEYWORDS.test(text);
}

function tokensOf(query: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    TOKEN.lastIndex = skipBlanks(query, TOKEN.lastIndex);
    if (TOKEN.lastIndex >= query.length) break;
    const match = TOKEN.exec(query);
    if (match === null) return undefined;
    const [, quoted, word, mark] = match;
    const text = quoted ?? word ?? mark ?? '';
    tokens.push({
      kind: quoted !== undefined ? 'text' : word !== undefined ? 'word' : 'mark',
      text,
      end: TOKEN.lastIndex,
    });
  }
  return tokens;
}

function refused(reason: 'unreadable' | 'alternatives', message: string): ConfinedQuery {
  return { kind: 'refused', reason, message };
}

function skipBlanks(query: string, from: number): number {
  let at = from;
  for (;;) {
    BLANK.lastIndex = at;
    if (!BLANK.test(query)) return at;
    at = BLANK.lastIndex;
  }
}
