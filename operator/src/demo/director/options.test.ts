import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDemoOptions } from './options.ts';

const PEOPLE = ['ana', 'ben'];

describe('options of the demo', () => {
  it('defaults to one story that a person approves', () => {
    const parsed = parseDemoOptions([], PEOPLE);
    assert.deepEqual(parsed, {
      kind: 'run',
      options: { port: 8080, data: '.hephaisto/demo', story: 'bad-rollout', speed: 10, json: false, exit: false },
    });
  });

  const mistakes: Readonly<Record<string, readonly [args: readonly string[], message: RegExp]>> = {
    'an unknown option': [['--prot', '1'], /^expected the options .* found: unknown option '--prot'/],
    'a stray word': [['now'], /^expected the options/],
    'a port that is none': [['--port', '80a'], /^expected --port .* found `80a`$/],
    'a port too high': [['--port', '70000'], /^expected --port/],
    'a speed of zero': [['--speed', '0'], /^expected --speed/],
    'a speed that is no number': [['--speed', 'fast'], /^expected --speed .* found `fast`$/],
    'an unknown story': [['--story', 'meteor'], /^expected --story .* found `meteor`$/],
    'an approver who is none': [['--approve-as', 'vic'], /^expected --approve-as to be one of ana, ben, found `vic`$/],
    'an empty folder': [['--data', ''], /^expected --data/],
  };
  for (const [name, [args, message]] of Object.entries(mistakes)) {
    it(`refuses ${name}`, () => {
      const parsed = parseDemoOptions(args, PEOPLE);
      assert.equal(parsed.kind, 'usage');
      assert.match(parsed.kind === 'usage' ? parsed.message : '', message);
    });
  }

  it('lists every story in its help', () => {
    const parsed = parseDemoOptions(['--help'], PEOPLE);
    assert.match(parsed.kind === 'help' ? parsed.text : '', /healthy-noise/);
  });
});
