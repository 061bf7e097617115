import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AlertingReader } from '@hephaisto/core/ports/observability';
import { confinedAlerting } from './confined-sources.ts';

const CLOSED = ['kube-system'];

async function shown(...matchers: string[]): Promise<number> {
  const silence = { id: '1', matchers, comment: '', createdBy: '', startsAt: new Date(0), endsAt: new Date(1) };
  const source = { silences: async () => ({ kind: 'ok', value: [silence] }) } as unknown as AlertingReader;
  const read = await confinedAlerting(source, CLOSED, []).silences(new AbortController().signal);
  return read.kind === 'ok' ? read.value.length : -1;
}

describe('silences of closed namespaces are withheld', () => {
  it('shows one whose pattern is for other namespaces only', async () => {
    assert.equal(await shown('namespace=~"(dev|prod)-.*"'.replaceAll('"', '')), 1);
    assert.equal(await shown('namespace=~kube'), 1, 'a pattern has to match the whole name');
  });

  it('withholds one whose pattern is for a closed one', async () => {
    assert.equal(await shown('namespace=~kube-.*'), 0);
    assert.equal(await shown('namespace=~(?i)KUBE-SYSTEM'), 0, 'in the syntax of Alertmanager');
  });

  it('withholds one whose pattern cannot be read or is too long', async () => {
    assert.equal(await shown('namespace=~('), 0);
    assert.equal(await shown(`namespace=~${'a'.repeat(2_000)}`), 0);
  });

  it('answers at once for a pattern that would hold a backtracking engine for years', async () => {
    assert.equal(await shown('namespace=~(?:.?){200}!'), 1);
    assert.equal(await shown('namespace=~((((.*)*)*)*)*!'), 1);
  });
});
