import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { looksAt, modelBench, planAt } from './inquiry-bench.ts';
import { honest, WEDGED } from './wedged-world.ts';

const never = new AbortController().signal;

describe('a provider that does not answer the planner', { timeout: 120_000 }, () => {
  it('does not delay a plan that rules make for another incident', async () => {
    await modelBench(
      WEDGED,
      (request) => (request.hasSchema ? { kind: 'stall', after: 'nothing' } : honest(request)),
      async ({ db, standIn, incident, parts, replica }) => {
        const slow = await incident();
        await parts.investigate.pass(never);
        const stop = new AbortController();
        const planning = parts.plan.pass(stop.signal);
        while (!standIn.requests.some(({ hasSchema }) => hasSchema)) await sleep(20);
        const quick = await incident('other');
        await replica().pass(never);
        while ((await planAt(db, quick)) === undefined) await sleep(50);
        const states = await db.query('SELECT id, state FROM incidents WHERE id = ANY($1::uuid[])', [[slow, quick]]);
        assert.deepEqual(
          new Map(states.map((row) => [row.id, row.state])),
          new Map([
            [slow, 'Investigating'],
            [quick, 'Escalated'],
          ]),
        );
        assert.equal((await looksAt(db, slow))[0]?.state, 'Concluded');
        stop.abort();
        await planning.catch(() => undefined);
        assert.equal(
          await planAt(db, slow),
          undefined,
          'the question was taken back, and nothing is planned without it',
        );
      },
      { channel: { stall: { firstByteMs: 20_000, idleMs: 20_000 } } },
    );
  });
});
