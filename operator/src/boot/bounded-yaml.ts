import { Lexer, Parser, parse } from 'yaml';

/** Deeper than any file of ours; what composes the document recurses once a level. */
const MAX_YAML_DEPTH = 100;

/**
 * The data of a YAML text, without aliases and with each key once. Refuses text that nests too deep before anything recurses into it: a
 * stack overflow would be a message about us instead of one about the file. Throws an `Error` that says what is wrong.
 */
export function parseBoundedYaml(text: string): unknown {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _token of parser.next(lexeme)) {
      // Tokens are not wanted; the parser only has them to give once it has read on.
    }
    if (parser.stack.length > MAX_YAML_DEPTH)
      throw new Error(`expected YAML nested at most ${MAX_YAML_DEPTH} deep, found more`);
  }
  return parse(text, { uniqueKeys: true, maxAliasCount: 0 }) as unknown;
}
