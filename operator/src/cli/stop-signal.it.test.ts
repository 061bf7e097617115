import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

/** A process whose stop waits for a statement that never ends, as a server's does. */
const STUCK = `
  const { stopSignal } = await import(${JSON.stringify(import.meta.resolve('./stop-signal.ts'))});
  const { openPglite } = await import(${JSON.stringify(import.meta.resolve('../adapters/postgres/pglite.ts'))});
  const stop = stopSignal();
  const db = await openPglite({ folder: 'memory', statementTimeoutMs: 3_600_000 });
  stop.addEventListener('abort', () => {
    process.stdout.write('stopping');
    void db.close();
  });
  db.execute('DO $$ BEGIN LOOP END LOOP; END $$').catch(() => undefined);
  process.stdout.write('ready');`;

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`a second ${signal} ends the process at once, while a statement of the embedded database never ends`, async () => {
    const child = spawn(process.execPath, ['--liftoff-only', '--input-type=module', '-e', STUCK], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    assert.equal(String(await once(child.stdout, 'data')), 'ready');
    child.kill(signal);
    assert.equal(String(await once(child.stdout, 'data')), 'stopping');
    child.kill(signal);
    assert.deepEqual(await ended, [1, null]);
  });
