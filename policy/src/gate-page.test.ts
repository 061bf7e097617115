import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { GATE_CODES, GATES } from './gate.ts';
import { CODES_OF, CODES_OF_ALL, gatePage } from './gate-page.ts';

test('each gate answers with the codes that its page names, and each code is of one gate or of all', () => {
  for (const gate of GATES) {
    const file = gate.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
    const source = readFileSync(new URL(`./checks/${file}.ts`, import.meta.url), 'utf8');
    const answered = GATE_CODES.filter((code) => source.includes(`'${code}'`));
    assert.deepEqual([...CODES_OF[gate]].sort(), answered.sort(), gate);
  }
  const named = [...Object.values(CODES_OF).flat(), ...CODES_OF_ALL];
  assert.deepEqual(named.toSorted(), [...GATE_CODES].sort());
  for (const code of GATE_CODES) assert.ok(gatePage().includes(`\`${code}\``), code);
});
