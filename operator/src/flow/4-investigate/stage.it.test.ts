import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoreUnavailable } from '@hephaisto/core/ports/database';
import type { Investigator } from '@hephaisto/core/ports/investigator';
import { verifies } from '@hephaisto/test/verifies';
import { reinvestigateIncident } from '../../commands/incident-reinvestigate.ts';
import { sha256Hex } from '../../investigate/raw-bytes.ts';
import { createReadAgain } from '../../investigate/read-again.ts';
import { TOOLBOX } from '../../investigate/toolbox.ts';
import { bench, type InvestigationRow, TWO_REVISIONS } from './bench.fixture.ts';

const never = new AbortController().signal;
const LIMIT = { timeout: 120_000 };

describe('investigating', LIMIT, () => {
  it('journals each read, stores what stands, and leaves the incident to the planner', async () => {
    verifies('H3-3', 'H3-7', 'H3-10', 'H3-43', 'H3-44');
    await bench(TWO_REVISIONS, async ({ db, deps, replica, incident, reader }) => {
      const id = await incident();
      assert.equal(await replica().pass(never), 1);
      const [looked] = await db.query<InvestigationRow>('SELECT * FROM investigations WHERE incident_id = $1', [id]);
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
    await bench(TWO_REVISIONS, async ({ db, replica, incident, reader }) => {
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
    await bench(TWO_REVISIONS, async ({ db, replica, incident, reader }) => {
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

  it('what cannot be worked on is not asked for again at once, and does not keep others waiting', async () => {
    await bench(TWO_REVISIONS, async ({ db, replica, incident }) => {
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
    await bench(TWO_REVISIONS, async ({ db, replica, incident }) => {
      const id = await incident();
      await Promise.all([replica().pass(never), replica().pass(never), replica().pass(never)]);
      const rows = await db.query<InvestigationRow>('SELECT * FROM investigations WHERE incident_id = $1', [id]);
      assert.deepEqual(
        rows.map(({ state }) => state),
        ['Concluded'],
      );
    });
  });

  it('the budget of steps is never exceeded, however many reads run at once, and what was read stays', async () => {
    verifies('H3-11');
    await bench(TWO_REVISIONS, async ({ db, replica, incident }) => {
      await incident();
      await replica({ config: { budgetSteps: 3 } }).pass(never);
      const [looked] = await db.query<InvestigationRow>('SELECT * FROM investigations');
      assert.deepEqual([looked?.state, looked?.end_reason, looked?.steps_used], ['BudgetExhausted', 'budget:steps', 3]);
      const [steps] = await db.query<{ count: number }>('SELECT count(*)::int AS count FROM steps');
      assert.equal(steps?.count, 3);
    });
  });

  it('an investigation that takes too long ends by its deadline', async () => {
    await bench(TWO_REVISIONS, async ({ db, replica, incident }) => {
      await incident();
      const slow: Investigator = {
        executor: 'Rules',
        investigate: (_subject, _recorder, signal) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
          ),
      };
      await replica({ investigator: slow, config: { deadlineMs: 50 } }).pass(never);
      const [looked] = await db.query<InvestigationRow>('SELECT * FROM investigations');
      assert.deepEqual([looked?.state, looked?.end_reason], ['BudgetExhausted', 'budget:time']);
    });
  });

  it('a closed incident stops its investigation at the next read', async () => {
    await bench(TWO_REVISIONS, async ({ db, deps, replica, incident }) => {
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
      const [looked] = await db.query<InvestigationRow>('SELECT * FROM investigations');
      assert.equal(looked?.state, 'Stopped');
      assert.equal((await db.query('SELECT 1 FROM steps')).length, 0);
    });
  });

  it('another look is another attempt and reads the world as it is now', async () => {
    await bench(TWO_REVISIONS, async ({ db, deps, replica, incident, reader }) => {
      const id = await incident();
      await replica().pass(never);
      const asked = reader.asked.length;
      await db.transaction(async (tx) => {
        const by = { incidentId: id, reason: 'test', actor: 'service:hephaisto/planner', origin: 'core' } as const;
        await deps.incidents.transition(tx, { ...by, edge: 'I6', escalationReason: 'LowConfidence' });
        await deps.incidents.transition(tx, { ...by, edge: 'I17' });
      });
      await replica().pass(never);
      const rows = await db.query<InvestigationRow>('SELECT * FROM investigations ORDER BY attempt');
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
    await bench(TWO_REVISIONS, async ({ db, deps, replica, incident, reader }) => {
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
    await bench(TWO_REVISIONS, async ({ db, deps, replica, incident }) => {
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
