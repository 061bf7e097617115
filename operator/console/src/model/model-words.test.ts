import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODEL_NOTE_REASONS } from '@hephaisto/core/investigation/investigator';
import { dollars, milliseconds, modelWord, tokensText } from './model-words.ts';

test('every reason for which no model concluded has words of its own, but that of having none', () => {
  const without = MODEL_NOTE_REASONS.filter((reason) => modelWord(reason).word === 'Did not look');
  assert.deepEqual(without, ['not-configured']);
});

test('amounts are short, and what is not nothing is not shown as nothing', () => {
  assert.deepEqual([0, 0.0002, 0.0123, 0.5, 12].map(dollars), ['$0', '< $0.001', '$0.012', '$0.50', '$12.00']);
  assert.deepEqual([0, 999, 12_340, 1_200_000].map(tokensText), ['0', '999', '12.3k', '1.2M']);
  assert.deepEqual([12, 1_540].map(milliseconds), ['12 ms', '1.5 s']);
});
