import { type CallExpression, type NewExpression, parseSync, Visitor } from 'oxc-parser';
import { analyse } from 'scslre';
import { isTest, type Source, type Violation } from './sources.ts';

/** Product code reads text from outside; the demo's world and the tests only write it. */
const READS_OUTSIDE = /^(core|policy|verifier|operator\/src|operator\/console\/src)\//;
const DEMO = /^operator\/src\/demo\//;

type Made = Pick<NewExpression | CallExpression, 'callee' | 'arguments' | 'start'>;

/** Names of what came from outside: spread over computed fields it would replace them. */
const OUTSIDE = /(?:^|\.)(?:payload|labels|annotations|raw|body|data|value|detail|details|attributes|fields)$/;

/** A pattern that is put together at run time cannot be analysed here: a person states above it why its cost is linear. */
const REASON = /\/\/ linear: \S.*\n[^\n]*$/;

/** Holds that no pattern costs more than linear time, and that outside data never overwrites a computed field. */
export function judgeOutsideText(sources: readonly Source[]): readonly Violation[] {
  return sources
    .filter(({ path }) => READS_OUTSIDE.test(path) && !DEMO.test(path) && !isTest(path))
    .flatMap((source) => [...judgePatterns(source), ...judgeSpreads(source)]);
}

function judgePatterns({ path, text }: Source): Violation[] {
  const found: Violation[] = [];
  new Visitor({
    Literal(node) {
      if (!('regex' in node) || node.regex === undefined) return;
      const { pattern, flags } = node.regex;
      const { reports } = analyse({ source: pattern, flags: flags.replace('y', '') });
      if (reports.length === 0) return;
      const message = `expected a pattern of linear cost, found \`/${pattern.slice(0, 60)}/\`; give each repetition before its end a bound`;
      found.push({ path, rule: 'linear-pattern', message });
    },
    NewExpression: judgeMade,
    CallExpression: judgeMade,
  }).visit(parseSync(path, text).program);
  return found;

  function judgeMade({ callee, arguments: [source], start }: Made): void {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || source?.type === 'Literal') return;
    if (REASON.test(text.slice(0, start))) return;
    const message =
      'expected a pattern that is written out, found one that is made at run time; use the engine `re2js` for a pattern from outside, or state above it why it is linear: `// linear: …`';
    found.push({ path, rule: 'made-pattern', message });
  }
}

function judgeSpreads({ path, text }: Source): Violation[] {
  const found: Violation[] = [];
  new Visitor({
    ObjectExpression(node) {
      let isAfterField = false;
      for (const property of node.properties) {
        if (property.type !== 'SpreadElement') isAfterField = true;
        else if (isAfterField) {
          const spread = text.slice(property.argument.start, property.argument.end);
          if (!OUTSIDE.test(spread)) continue;
          const message = `expected \`...${spread}\` before every field of its object, found it behind one that it could replace`;
          found.push({ path, rule: 'outside-spread', message });
        }
      }
    },
  }).visit(parseSync(path, text).program);
  return found;
}
