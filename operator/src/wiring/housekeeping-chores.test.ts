import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@hephaisto/core/ports/database';
import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { startHousekeeping } from './housekeeping.ts';

test('lost calls of a model are ended within seconds, whatever the stage that investigates is doing', async () => {
  const due: { readonly ms: number; readonly run: () => void }[] = [];
  const executed: string[] = [];
  const reaped = Promise.withResolvers<void>();
  const db: Pick<Database, 'execute' | 'query'> = {
    async execute(text) {
      executed.push(text);
      if (text.includes('UPDATE llm_usage')) reaped.resolve();
      return 0;
    },
    query: async () => [],
  };
  const housekeeping = startHousekeeping({
    db: db as Database,
    timers: {
      sleep: async () => undefined,
      after: (ms, run) => {
        due.push({ ms, run });
        return () => undefined;
      },
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    faults: NO_FAULTS,
  });
  for (const { ms, run } of [...due]) if (ms <= 5_000) run();
  await reaped.promise;
  await housekeeping.close();
  assert.ok(executed.every((text) => text.includes('llm_usage')));
});
