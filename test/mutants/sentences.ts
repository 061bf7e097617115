/** A quoted text with two words in it. Codes, keys and patterns of names are one word, so they are mutated. */
const SENTENCE = /\w\W*\s\W*\w/;

/** The part of Babel's syntax tree that the rule reads. */
export interface SyntaxNode {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

/**
 * Stryker's plugin that leaves sentences alone. They are written for people, and a test that repeats each one would only be a second copy.
 * Expressions inside of a sentence are part of it.
 */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'sentences',
    value: {
      shouldIgnore: ({ node }: { readonly node: SyntaxNode }): string | undefined =>
        isSentence(node) ? 'a sentence for people' : undefined,
    },
  },
];

export function isSentence({ type, value, quasis }: SyntaxNode): boolean {
  if (type === 'StringLiteral') return typeof value === 'string' && SENTENCE.test(value);
  return type === 'TemplateLiteral' && SENTENCE.test((quasis ?? []).map(({ value: { raw } }) => raw).join('x'));
}
