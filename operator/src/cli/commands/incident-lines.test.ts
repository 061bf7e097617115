import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from './incident-lines.ts';

const WORDS: Readonly<Record<string, string>> = {
  Resolved: 'Resolved',
  DryRunOk: 'DryRunOk (dry run ok)',
  'kill-switch': 'kill-switch (kill switch)',
  'said by a person': 'said by a person',
};
for (const [code, words] of Object.entries(WORDS))
  test(`${code} is told as ${words}`, () => assert.equal(plain(code), words));
