import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTraceparent, writeTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('the header traceparent', () => {
  it('is read and written as it came', () => {
    const header = `00-${TRACE}-${SPAN}-01`;
    const position = readTraceparent(header);
    assert.deepEqual(position, { traceId: TRACE, spanId: SPAN, flags: 1 });
    assert.equal(position && writeTraceparent(position), header);
  });

  const CASES: Readonly<Record<string, [unknown, string | undefined]>> = {
    'of a later version may carry more': [`01-${TRACE}-${SPAN}-01-what-comes`, TRACE],
    'of this version may not': [`00-${TRACE}-${SPAN}-01-more`, undefined],
    'of the forbidden version is none': [`ff-${TRACE}-${SPAN}-01`, undefined],
    'in capitals is none': [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
    'without a trace is none': [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
    'without a span is none': [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
    'given twice is none': [[`00-${TRACE}-${SPAN}-01`], undefined],
    'that is missing is none': [undefined, undefined],
  };
  for (const [name, [header, expected]] of Object.entries(CASES)) {
    it(name, () => assert.equal(readTraceparent(header)?.traceId, expected));
  }
});
