import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inertText, parseInert, plainName, valueText } from './inert-text.ts';

describe('text from outside', () => {
  it('keeps what it says, markup included, since nothing here reads markup', () => {
    assert.equal(inertText('<img src=x onerror=alert(1)>\n\tline'), '<img src=x onerror=alert(1)>\n\tline');
  });
  it('shows what would reorder or hide its neighbours', () => {
    assert.equal(inertText('safe\u202egnp.exe'), 'safe⟨U+202E⟩gnp.exe');
    assert.equal(inertText('a\u200bb\u0007'), 'a⟨U+200B⟩b⟨U+0007⟩');
  });
  it('is made inert as it arrives, except what must stay exact', () => {
    const json = JSON.stringify({ name: 'a\u202eb', canonical: 'a\u202eb', list: ['\u0007'], n: 1 });
    assert.deepEqual(parseInert(json), { name: 'a⟨U+202E⟩b', canonical: 'a\u202eb', list: ['⟨U+0007⟩'], n: 1 });
    assert.deepEqual(parseInert('{"a":"plain"}'), { a: 'plain' });
  });
  it('says values in one line', () => {
    assert.equal(valueText(null), '–');
    assert.equal(valueText(['a', 2]), 'a, 2');
    assert.equal(valueText({ pods: 2 }), '{"pods":2}');
  });
  it('says names as words', () => {
    assert.equal(plainName('blastRadius'), 'blast radius');
    assert.equal(plainName('not_established'), 'not established');
    assert.equal(plainName('new-fault: nothing covers bad-rollout'), 'new fault: nothing covers bad-rollout');
    assert.equal(plainName('nothing covers bad-rollout'), 'nothing covers bad-rollout');
  });
});
