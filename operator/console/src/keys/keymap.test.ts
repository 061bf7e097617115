import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgePress, KEY_COMMANDS, type KeyCommand } from './keymap.ts';

const press = (key: string, more: { ctrl?: boolean; alt?: boolean } = {}) => ({
  key,
  ctrl: false,
  alt: false,
  ...more,
});

describe('keys', () => {
  for (const [command, { keys }] of Object.entries(KEY_COMMANDS)) {
    it(`${keys} means ${command}`, () => {
      const [first, second] = keys.startsWith('Ctrl+') ? [keys.slice(5), undefined] : keys.split(' ');
      const begun = judgePress(press(first ?? '', { ctrl: keys.startsWith('Ctrl+') }), undefined);
      const ended = second === undefined ? begun : judgePress(press(second), first);
      assert.deepEqual(ended, { kind: 'run', command });
    });
  }
  it('begin a pair, and a second key that belongs to none stands for itself', () => {
    assert.deepEqual(judgePress(press('g'), undefined), { kind: 'began', first: 'g' });
    assert.deepEqual(judgePress(press('u'), 'g'), { kind: 'run', command: 'zone' });
    assert.deepEqual(judgePress(press('z'), 'g'), { kind: 'nothing' });
  });
  it('are left to the browser with Alt, and with Ctrl where they are not ours', () => {
    assert.equal(judgePress(press('j', { alt: true }), undefined).kind, 'nothing');
    assert.equal(judgePress(press('r', { ctrl: true }), undefined).kind, 'nothing');
  });
  it('never approve, deny or stop: there is no such command', () => {
    const dangerous = (Object.keys(KEY_COMMANDS) as KeyCommand[]).filter((name) =>
      /approve|deny|stop|switch/.test(name),
    );
    assert.deepEqual(dangerous, []);
  });
});
