import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStageBoard } from './stage.ts';

describe('what is known of failing stages', () => {
  it('tells of a stage from its third failure in a row until it passes', () => {
    const board = createStageBoard();
    board.failed('dedupe', new Error('one'));
    board.failed('dedupe', new Error('two'));
    assert.deepEqual(board.failing(), []);
    board.failed('dedupe', new Error('three'));
    board.failed('act', new Error('once'));
    assert.deepEqual(board.failing(), [{ stage: 'dedupe', failures: 3, message: 'three' }]);
    board.passed('dedupe');
    assert.deepEqual(board.failing(), []);
  });
});
