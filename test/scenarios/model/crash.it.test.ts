import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { mortal } from '@hephaisto/operator/flow/4-investigate/bench.fixture';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { findingsAt, looksAt, modelBench, planAt } from './inquiry-bench.ts';
import { honest, WEDGED } from './wedged-world.ts';

const SEED = Number(process.env.HEPHAISTO_TEST_SEED ?? 20_261_130);
const never = new AbortController().signal;

/** Every pass begins with a look for lost calls, so its place says nothing about the investigation. */
function counts(point: string): boolean {
  return point !== 'model:calls-reaped';
}

/** Points of one undisturbed investigation and plan, in the order in which they are passed. */
async function undisturbed(): Promise<readonly string[]> {
  const passed: string[] = [];
  await modelBench(WEDGED, honest, async ({ another, incident }) => {
    const parts = another({
      faults: { hit: (point) => Promise.resolve(counts(point) ? void passed.push(point) : undefined) },
    });
    await incident();
    await drain(parts.investigate, parts.plan);
  });
  return passed;
}

function shuffled(items: readonly number[], seed: number): readonly number[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return [...items].sort(() => (next() % 2 === 0 ? 1 : -1));
}

describe('an investigation survives the death of its owner', { timeout: 400_000 }, () => {
  it('behind every commit: it is taken up, reads nothing twice, asks at most one more time, and ends the same', async (context) => {
    verifies('H4-113', 'H4-114', 'H4-115');
    const points = await undisturbed();
    const clean = points.filter((point) => point === 'model:call-started').length;
    const places = shuffled([...points.keys()], SEED);
    context.diagnostic(`seed ${SEED}, ${places.length} places`);
    for (const place of places) {
      await modelBench(WEDGED, honest, async ({ db, deps, another, incident, reader, standIn }) => {
        const id = await incident();
        const first = mortal(db);
        let passed = 0;
        let died: () => void = () => undefined;
        const dead = new Promise<void>((resolve) => {
          died = resolve;
        });
        const faults: FaultPoints = {
          hit: (point) => {
            if (!counts(point) || passed++ !== place) return Promise.resolve();
            first.kill();
            died();
            return new Promise(() => undefined);
          },
        };
        const parts = another({ db: first.db, faults, timers: first.timers });
        const lived = (async () => {
          await parts.investigate.pass(never);
          await parts.plan.pass(never);
        })();
        await Promise.race([dead, lived]);
        const where = `killed behind ${points[place]} (place ${place})`;
        assert.ok(first.dead(), `${where}: expected the replica to die`);
        const readBefore = [...reader.asked];
        await db.moveClock('20 seconds');
        const other = another();
        await drain(other.investigate, other.plan);

        const looks = await looksAt(db, id);
        assert.equal(looks.at(-1)?.state, 'Concluded', where);
        const primary = (await findingsAt(db, id)).filter(({ is_primary }) => is_primary).at(-1);
        assert.deepEqual([primary?.rule, primary?.certainty], [null, 'likely'], where);
        assert.equal((await planAt(db, id))?.status, 'accepted', where);
        assert.equal((await db.query('SELECT 1 FROM actions')).length, 1, where);
        const calls = standIn.requests.length;
        assert.ok(calls <= clean + 1, `${where}: ${calls} calls, ${clean} undisturbed`);
        const open = await db.query(`SELECT 1 FROM llm_usage WHERE outcome = 'started'`);
        assert.equal(open.length, 0, `${where}: no call is left open`);
        // What was closed in the journal is not asked of the cluster again; what was under way may be.
        const twice = reader.asked.slice(readBefore.length).filter((asked) => readBefore.includes(asked));
        const unfinished = await db.query(`SELECT 1 FROM steps WHERE finished_at IS NULL`);
        assert.ok(twice.length <= 2 * unfinished.length, `${where}: read again ${twice.join(', ')}`);
        assert.deepEqual(
          deps.complaints.filter((complaint) => !complaint.startsWith('calls of a model')),
          [],
          where,
        );
      });
    }
  });
});
