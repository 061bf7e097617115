import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crashed, pod, replicaSet, type World } from '@hephaisto/core/diagnose/case.fixture';
import { StoreUnavailable } from '@hephaisto/core/ports/database';
import type { Investigator } from '@hephaisto/core/ports/investigator';
import { verifies } from '@hephaisto/test/verifies';
import { reinvestigateIncident } from '../../commands/incident-reinvestigate.ts';
import { sha256Hex } from '../../investigate/raw-bytes.ts';
import { createReadAgain } from '../../investigate/read-again.ts';
import { TOOLBOX } from '../../investigate/toolbox.ts';
import { readStoredHealth } from '../9-report/health.ts';
import { bench, mortal } from './bench.fixture.ts';

const WORLD: World = {
  pods: [pod('old-1'), pod('new-1', { revision: 2, ready: false, status: crashed() })],
  replicaSets: [
    replicaSet(1, { env: [{ name: 'URL', value: 'db:5432' }] }, { ready: 1 }),
    replicaSet(2, { env: [{ name: 'URL', value: 'db:54e2' }] }),
  ],
  logs: { 'new-1': 'error invalid URL: cannot parse "db:54e2"\nAPI_TOKEN=abc123canary\nfatal exiting' },
};
const never = new AbortController().signal;
const LIMIT = { timeout: 120_000 };

interface Looked {
  readonly id: string;
  readonly attempt: number;
  readonly cause: string;
  readonly state: string;
  readonly steps_used: number;
  readonly end_reason: string;
}

describe('investigating', LIMIT, () => {
  it('journals each read, stores what stands, and leaves the incident to the planner', async () => {
    verifies('H3-3', 'H3-7', 'H3-10', 'H3-43', 'H3-44');
    await bench(WORLD, async ({ db, deps, replica, incident, reader }) => {
      const id = await incident();
      assert.equal(await replica().pass(never), 1);
      const [looked] = await db.query<Looked>('SELECT * FROM investigations WHERE incident_id = $1', [id]);
      assert.deepEqual([looked?.attempt, looked?.cause, looked?.state], [1, 'auto', 'Concluded']);
      const steps = await db.query<{
        tool_name: string;
        status: string;
        result_text: string;
        result_sha256: string;
        effect: string;
        content: Uint8Array;
        sha256: string;
        encoding: string;
      }>(
        'SELECT s.*, b.content, b.sha256, b.encoding FROM steps s JOIN evidence_blobs b ON b.step_id = s.id ORDER BY ordinal',
      );
      assert.equal(steps.length, looked?.steps_used);
      for (const step of steps) {
        assert.equal(step.status, 'ok');
        assert.equal(step.effect, 'read');
        assert.equal(step.result_sha256, sha256Hex(step.result_text));
        if (step.encoding === 'identity') assert.equal(step.sha256, sha256Hex(step.content));
        assert.doesNotMatch(step.result_text + Buffer.from(step.content).toString(), /canary/);
      }
      const [finding] = await db.query<{ id: string; certainty: string; rule: string; status: string }>(
        'SELECT * FROM findings WHERE is_primary',
      );
      assert.deepEqual([finding?.certainty, finding?.rule, finding?.status], ['proven', 'rollout-change', 'grounded']);
      const [row] = await db.query<{ state: string; primary_finding_id: string }>(
        'SELECT state, primary_finding_id FROM incidents',
      );
      assert.deepEqual([row?.state, row?.primary_finding_id], ['Investigating', finding?.id]);
      assert.equal(deps.counted.get('investigations_total {"outcome":"established"}'), 1);
      assert.equal(await replica().pass(never), 0, 'a second pass finds nothing to do');
      assert.ok(
        reader.asked.every((question) => !question.startsWith('object')),
        'nothing but the typed reads',
      );
    });
  });

  it('says what could not be read, why, and what it would have told', async () => {
    await bench(WORLD, async ({ db, replica, incident, reader }) => {
      reader.fail('logs', { reason: 'forbidden', status: 403, message: 'pods/log is forbidden' });
      await incident();
      await replica().pass(never);
      const [looked] = await db.query<{ gaps: readonly Record<string, string>[] }>('SELECT gaps FROM investigations');
      assert.deepEqual(
        looked?.gaps.map(({ source, reason, message, wouldHaveTold }) => [source, reason, message, wouldHaveTold]),
        [['get_logs', 'forbidden', 'pods/log is forbidden', 'what the process itself said before it failed']],
      );
      const [finding] = await db.query<{ certainty: string }>('SELECT certainty FROM findings WHERE is_primary');
      assert.equal(finding?.certainty, 'likely', 'without a log the change is singled out by elimination only');
    });
  });

  it('nothing that can be read gives no conclusion and every gap', async () => {
    await bench(WORLD, async ({ db, replica, incident, reader }) => {
      for (const method of ['workload', 'events', 'pods'])
        reader.fail(method, { reason: 'server-error', status: 500, message: 'broken' });
      await incident();
      await replica().pass(never);
      const [looked] = await db.query<{ state: string; gaps: readonly unknown[] }>(
        'SELECT state, gaps FROM investigations',
      );
      assert.equal(looked?.state, 'NoConclusion');
      assert.equal(looked?.gaps.length, 4);
    });
  });

  it('a killed owner costs no finding, no second finding, and no second read of what was recorded', async () => {
    verifies('H3-3');
    const points = await pointsOfOneRun();
    assert.ok(points >= 12, `${points} points`);
    for (let at = 1; at <= points; at += 1) {
      await bench(WORLD, async ({ db, deps, replica, incident, reader }) => {
        const id = await incident();
        const victim = mortal(db);
        let hits = 0;
        const killed = Promise.withResolvers<void>();
        const faults = {
          hit: (): Promise<void> => {
            hits += 1;
            if (hits < at) return Promise.resolve();
            victim.kill();
            killed.resolve();
            return new Promise<never>(() => undefined);
          },
        };
        // A short deadline, so that the dead replica's timer does not outlive the test.
        void replica({ db: victim.db, faults, config: { deadlineMs: 2_000 } }).pass(never);
        await killed.promise;
        const recorded = await db.query<{ tool_name: string }>(`SELECT tool_name FROM steps WHERE status = 'ok'`);
        const before = reader.asked.length;
        await db.moveClock('30 seconds');
        const next = replica();
        while ((await next.pass(never)) > 0);
        const rows = await db.query<Looked>('SELECT * FROM investigations WHERE incident_id = $1 ORDER BY attempt', [
          id,
        ]);
        assert.equal(rows.at(-1)?.state, 'Concluded', `killed at point ${at}`);
        assert.ok(rows.slice(0, -1).every(({ state }) => state === 'Faulted'));
        const primaries = await db.query(
          `SELECT f.id FROM findings f JOIN investigations n ON n.id = f.investigation_id WHERE n.incident_id = $1 AND f.is_primary`,
          [id],
        );
        assert.equal(primaries.length, 1, `killed at point ${at}`);
        if (rows.length === 2) {
          const again = reader.asked
            .slice(before)
            .filter((question) => question.startsWith('logs') || question.startsWith('events'));
          const had = recorded.map(({ tool_name }) => tool_name);
          if (had.includes('get_logs'))
            assert.ok(!again.some((question) => question.startsWith('logs')), `logs at ${at}`);
          if (had.includes('get_events'))
            assert.ok(!again.some((question) => question.startsWith('events')), `events at ${at}`);
        }
        assert.deepEqual(deps.complaints, []);
      });
    }
  });

  it('an investigation that kills two owners is not taken up a third time', async () => {
    await bench(WORLD, async ({ db, deps, replica, incident }) => {
      const id = await incident();
      for (const [bootId, later] of [
        ['first', '30 seconds'],
        ['second', '60 seconds'],
      ] as const) {
        const victim = mortal(db);
        const dead = Promise.withResolvers<never>();
        const begun = Promise.withResolvers<void>();
        const investigator: Investigator = {
          executor: 'Rules',
          investigate: () => {
            victim.kill();
            begun.resolve();
            return dead.promise;
          },
        };
        const holder = { pod: 'test', bootId, pid: bootId };
        void replica({ db: victim.db, investigator, holder, config: { deadlineMs: 2_000 } }).pass(never);
        await begun.promise;
        await db.moveClock(later);
      }
      const survivor = replica({ holder: { pod: 'test', bootId: 'third', pid: 'third' } });
      while ((await survivor.pass(never)) > 0);
      const rows = await db.query<Looked & { end_reason: string }>(
        'SELECT * FROM investigations WHERE incident_id = $1 ORDER BY attempt',
        [id],
      );
      assert.deepEqual(
        rows.map(({ state, end_reason }) => `${state} ${end_reason}`),
        ['Faulted owner-lost', 'Faulted unreadable'],
      );
      const [row] = await db.query<{ state: string; escalation_reason: string }>(
        'SELECT state, escalation_reason FROM incidents',
      );
      assert.deepEqual([row?.state, row?.escalation_reason], ['Escalated', 'Faulted']);
      assert.equal((await readStoredHealth(db)).unreadable.investigations, 1);
      assert.deepEqual(deps.complaints, []);
    });
  });

  it('an owner who dies again and again ends in a person’s hands after two requeues', async () => {
    await bench(WORLD, async ({ db, replica, incident }) => {
      const id = await incident();
      const dying: Investigator = {
        executor: 'Rules',
        investigate: () => Promise.reject(new Error('a mistake of ours')),
      };
      const stage = replica({ investigator: dying });
      while ((await stage.pass(never)) > 0);
      const rows = await db.query<Looked>('SELECT * FROM investigations WHERE incident_id = $1 ORDER BY attempt', [id]);
      assert.deepEqual(
        rows.map(({ cause, state }) => `${cause} ${state}`),
        ['auto Faulted', 'requeue Faulted', 'requeue Faulted'],
      );
      const [row] = await db.query<{ state: string; escalation_reason: string }>(
        'SELECT state, escalation_reason FROM incidents',
      );
      assert.deepEqual([row?.state, row?.escalation_reason], ['Escalated', 'Faulted']);
    });
  });

  it('what cannot be worked on is not asked for again at once, and does not keep others waiting', async () => {
    await bench(WORLD, async ({ db, replica, incident }) => {
      await incident('stuck');
      const tries: string[] = [];
      const moment = new Date();
      let waited = 0;
      const stage = replica({
        clock: { now: () => moment, monotonicMs: () => waited },
        underLease: (request) => {
          tries.push(request.subject.key);
          return Promise.reject(new StoreUnavailable('no space is left', { outcome: 'none' }));
        },
      });
      for (let pass = 0; pass < 20; pass += 1) await stage.pass(never);
      assert.equal(tries.length, 1);
      await incident('other');
      await stage.pass(never);
      assert.equal(new Set(tries).size, 2);
      waited = 10_000;
      await stage.pass(never);
      assert.ok(tries.length > 2, 'asked for again after its rest');
      const states = await db.query<{ state: string }>('SELECT state FROM investigations');
      assert.deepEqual(
        states.map(({ state }) => state),
        ['Queued', 'Queued'],
      );
    });
  });

  it('runs at most once however many replicas there are', async () => {
    await bench(WORLD, async ({ db, replica, incident }) => {
      const id = await incident();
      await Promise.all([replica().pass(never), replica().pass(never), replica().pass(never)]);
      const rows = await db.query<Looked>('SELECT * FROM investigations WHERE incident_id = $1', [id]);
      assert.deepEqual(
        rows.map(({ state }) => state),
        ['Concluded'],
      );
    });
  });

  it('the budget of steps is never exceeded, however many reads run at once, and what was read stays', async () => {
    verifies('H3-11');
    await bench(WORLD, async ({ db, replica, incident }) => {
      await incident();
      await replica({ config: { budgetSteps: 3 } }).pass(never);
      const [looked] = await db.query<Looked>('SELECT * FROM investigations');
      assert.deepEqual([looked?.state, looked?.end_reason, looked?.steps_used], ['BudgetExhausted', 'budget:steps', 3]);
      const [steps] = await db.query<{ count: number }>('SELECT count(*)::int AS count FROM steps');
      assert.equal(steps?.count, 3);
    });
  });

  it('an investigation that takes too long ends by its deadline', async () => {
    await bench(WORLD, async ({ db, replica, incident }) => {
      await incident();
      const slow: Investigator = {
        executor: 'Rules',
        investigate: (_subject, _recorder, signal) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
          ),
      };
      await replica({ investigator: slow, config: { deadlineMs: 50 } }).pass(never);
      const [looked] = await db.query<Looked>('SELECT * FROM investigations');
      assert.deepEqual([looked?.state, looked?.end_reason], ['BudgetExhausted', 'budget:time']);
    });
  });

  it('a closed incident stops its investigation at the next read', async () => {
    await bench(WORLD, async ({ db, deps, replica, incident }) => {
      const id = await incident();
      const closing: Investigator = {
        executor: 'Rules',
        investigate: async (_subject, recorder) => {
          await db.transaction((tx) =>
            deps.incidents.transition(tx, {
              incidentId: id,
              edge: 'I18',
              reason: 'closed',
              actor: 'service:hephaisto/sweeper',
              origin: 'api',
              resolutionSource: 'human',
            }),
          );
          await recorder.call({ tool: 'get_nodes', args: {} });
          return { findings: [], gaps: [], summary: '' };
        },
      };
      await replica({ investigator: closing }).pass(never);
      const [looked] = await db.query<Looked>('SELECT * FROM investigations');
      assert.equal(looked?.state, 'Stopped');
      assert.equal((await db.query('SELECT 1 FROM steps')).length, 0);
    });
  });

  it('another look is another attempt and reads the world as it is now', async () => {
    await bench(WORLD, async ({ db, deps, replica, incident, reader }) => {
      const id = await incident();
      await replica().pass(never);
      const asked = reader.asked.length;
      await db.transaction(async (tx) => {
        const by = { incidentId: id, reason: 'test', actor: 'service:hephaisto/planner', origin: 'core' } as const;
        await deps.incidents.transition(tx, { ...by, edge: 'I6', escalationReason: 'LowConfidence' });
        await deps.incidents.transition(tx, { ...by, edge: 'I17' });
      });
      await replica().pass(never);
      const rows = await db.query<Looked>('SELECT * FROM investigations ORDER BY attempt');
      assert.deepEqual(
        rows.map(({ attempt, cause, state }) => [attempt, cause, state]),
        [
          [1, 'auto', 'Concluded'],
          [2, 'reinvestigate', 'Concluded'],
        ],
      );
      assert.ok(reader.asked.length >= asked * 2);
    });
  });

  it('what its finding quotes must have changed for another look, unless a person insists', async () => {
    await bench(WORLD, async ({ db, deps, replica, incident, reader }) => {
      const id = await incident();
      const by = { incidentId: id, actor: 'service:hephaisto/planner', origin: 'api' } as const;
      const escalate = { ...by, edge: 'I6', reason: 'test', escalationReason: 'PolicyDeny' } as const;
      const handOver = () => db.transaction((tx) => deps.incidents.transition(tx, escalate));
      const asking = { ...deps, readAgain: createReadAgain(reader, TOOLBOX, () => Promise.resolve()) };
      await replica().pass(never);
      await handOver();
      const same = await reinvestigateIncident(asking, by);
      assert.deepEqual(same.kind === 'refused' && same.reason, 'nothing-changed');
      assert.equal((await reinvestigateIncident(asking, { ...by, anyway: true })).kind, 'done');
      await replica().pass(never);
      await handOver();
      reader.fail('logs', { reason: 'not-found', status: 404, message: 'the pod is gone' });
      reader.fail('pods', { reason: 'not-found', status: 404, message: 'the pods are gone' });
      assert.equal((await reinvestigateIncident(asking, by)).kind, 'done', 'what is gone has changed');
    });
  });

  it('claims that quote what was never read are stored as dropped, with the reason, and counted', async () => {
    verifies('H3-45', 'H3-46', 'H3-47', 'H3-48', 'H3-49');
    await bench(WORLD, async ({ db, deps, replica, incident }) => {
      const first = await incident('other');
      await replica().pass(never);
      const [foreign] = await db.query<{ id: string }>('SELECT id FROM steps LIMIT 1');
      await moveOn(first);
      const id = await incident('app');
      const lying: Investigator = {
        executor: 'Rules',
        investigate: async (_subject, recorder) => {
          const own = await recorder.call({
            tool: 'get_pods',
            args: { namespace: 'shop', kind: 'Deployment', name: 'app' },
          });
          const claim = (stepId: string, excerpt: string, primary = false) => ({
            category: 'application' as const,
            statement: 's',
            certainty: 'proven' as const,
            rule: 'r',
            cause: { kind: 'unknown' as const },
            primary,
            evidence: [{ stepId, excerpt }],
          });
          return {
            findings: [
              claim(own.stepId, 'the moon is made of cheese', true),
              claim(foreign?.id ?? '', 'pods of Deployment shop/app'),
              claim('019a0000-0000-7000-8000-000000000000', 'pods of Deployment shop/app'),
              claim(own.stepId, '   '),
              claim(own.stepId, 'pods'),
            ],
            gaps: [],
            summary: 's',
          };
        },
      };
      await replica({ investigator: lying }).pass(never);
      const rows = await db.query<{ status: string; drop_reason: string; reject_reason: string; is_primary: boolean }>(
        `SELECT f.status, f.drop_reason, f.is_primary, e.reject_reason FROM findings f JOIN finding_evidence e ON e.finding_id = f.id
           JOIN investigations n ON n.id = f.investigation_id WHERE n.incident_id = $1 ORDER BY f.ordinal`,
        [id],
      );
      assert.deepEqual(
        rows.map(({ reject_reason }) => reject_reason),
        ['not_substring', 'foreign_step', 'unknown_step', 'empty_excerpt', 'too_short'],
      );
      assert.ok(
        rows.every(
          ({ status, drop_reason, is_primary }) => status === 'dropped' && drop_reason === 'no-evidence' && !is_primary,
        ),
      );
      for (const { reject_reason: reason } of rows) {
        assert.equal(deps.counted.get(`grounding_rejected_total ${JSON.stringify({ reason })}`), 1);
      }

      async function moveOn(incidentId: string): Promise<void> {
        await db.transaction((tx) =>
          deps.incidents.transition(tx, {
            incidentId,
            edge: 'I6',
            reason: 'test',
            actor: 'service:hephaisto/planner',
            origin: 'core',
            escalationReason: 'LowConfidence',
          }),
        );
      }
    });
  });
});

async function pointsOfOneRun(): Promise<number> {
  let points = 0;
  await bench(WORLD, async ({ replica, incident }) => {
    await incident();
    const faults = {
      hit: (): Promise<void> => {
        points += 1;
        return Promise.resolve();
      },
    };
    await replica({ faults }).pass(never);
  });
  return points;
}
