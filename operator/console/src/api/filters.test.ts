import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatSearch, parseSearch, queryOf, toggleWord, wordsOf } from './filters.ts';

describe('filters in the address', () => {
  it('read as plain words, and one set of filters has one address', () => {
    assert.equal(
      formatSearch({ state: 'Acting,Verifying', severity: 'critical' }),
      '?severity=critical&state=Acting,Verifying',
    );
    assert.equal(
      formatSearch({ severity: 'critical', state: 'Acting,Verifying' }),
      '?severity=critical&state=Acting,Verifying',
    );
  });
  it('leave nothing behind when they are empty', () => {
    assert.equal(formatSearch({ text: '', tab: undefined }), '');
    assert.deepEqual(parseSearch('?text=&state=Acting'), { state: 'Acting' });
  });
  it('come back as they went, whatever text they carry', () => {
    const word = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
    fc.assert(
      fc.property(word, word, (text, namespace) => {
        assert.deepEqual(parseSearch(formatSearch({ text, namespace })), { text, namespace });
      }),
    );
  });
  it('toggle one word at a time', () => {
    assert.equal(toggleWord(undefined, 'a'), 'a');
    assert.equal(toggleWord('a', 'b'), 'a,b');
    assert.equal(toggleWord('a,b', 'a'), 'b');
    assert.deepEqual(wordsOf(toggleWord('a', 'a')), []);
  });
  it('send the API only what the list knows', () => {
    assert.equal(
      queryOf({ state: 'Acting', tab: 'raw' }, ['state', 'text'], { limit: '50' }),
      '?limit=50&state=Acting',
    );
  });
});
