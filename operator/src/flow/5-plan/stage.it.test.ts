import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crashed, pod, replicaSet, type World, waiting } from '@hephaisto/core/diagnose/case.fixture';
import { none } from '@hephaisto/core/plan/plan';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { type Bench, bench } from '../4-investigate/bench.fixture.ts';
import { readStoredHealth } from '../9-report/health.ts';
import { createAttempts } from '../attempt-log/attempts.ts';
import { commitNone } from './commit.ts';
import { claimUnplanned } from './due-rows.ts';
import { createPlanStage } from './stage.ts';

const BOUNDS = { memoryMaxBytes: 2 ** 32, memoryMaxFactor: 4 };
const never = new AbortController().signal;

const ROLLOUT: World = {
  pods: [pod('old-1'), pod('new-1', { revision: 2, ready: false, status: crashed() })],
  replicaSets: [
    replicaSet(1, { env: [{ name: 'URL', value: 'db:5432' }] }, { ready: 1 }),
    replicaSet(2, { env: [{ name: 'URL', value: 'db:54e2' }] }),
  ],
  logs: { 'new-1': 'error invalid URL: cannot parse "db:54e2"' },
};

function planner({ deps }: Bench) {
  return createPlanStage(deps, { bounds: BOUNDS });
}

interface IncidentRow {
  readonly id: string;
  readonly state: string;
  readonly escalation_reason: string | null;
  readonly caused_by: string | null;
}

const incidentRow = async ({ db }: Bench, id: string): Promise<IncidentRow | undefined> =>
  (await db.query<IncidentRow>('SELECT id, state, escalation_reason, caused_by FROM incidents WHERE id = $1', [id]))[0];

describe('planning', { timeout: 120_000 }, () => {
  it('one typed action that cites its finding, on a locked workload row, proposed and nothing more', async () => {
    verifies('H3-3', 'H3-13');
    await bench(ROLLOUT, async (b) => {
      const id = await b.incident();
      await drain(b.replica(), planner(b));
      const [plan] = await b.db.query<{
        id: string;
        status: string;
        cited_findings: readonly string[];
        raw: { commands: readonly string[] };
      }>('SELECT * FROM plans');
      const [finding] = await b.db.query<{ id: string }>('SELECT id FROM findings WHERE is_primary');
      assert.deepEqual([plan?.status, plan?.cited_findings], ['accepted', [finding?.id]]);
      assert.match(plan?.raw.commands[0] ?? '', /^kubectl rollout undo deployment\/app -n shop --to-revision=1/);
      const actions = await b.db.query<Record<string, unknown>>('SELECT * FROM actions');
      assert.equal(actions.length, 1);
      const { type, params, target_uid, state, risk, workload_name } = actions[0] ?? {};
      assert.deepEqual(
        { type, params, target_uid, state, risk, workload_name },
        {
          type: 'RollbackWorkload',
          params: { fromRevision: 2, toRevision: 1 },
          target_uid: 'uid-app',
          state: 'Proposed',
          risk: 'medium',
          workload_name: 'app',
        },
      );
      const [workload] = await b.db.query<{ uid: string }>(`SELECT uid FROM workloads WHERE name = 'app'`);
      assert.equal(workload?.uid, 'uid-app');
      assert.equal((await incidentRow(b, id))?.state, 'Investigating');
      assert.equal(await planner(b).pass(never), 0, 'planned once');
    });
  });

  it('two planners make one plan', async () => {
    await bench(ROLLOUT, async (b) => {
      await b.incident();
      await b.replica().pass(never);
      await Promise.all([planner(b).pass(never), planner(b).pass(never)]);
      assert.equal((await b.db.query('SELECT 1 FROM plans')).length, 1);
      assert.equal((await b.db.query('SELECT 1 FROM actions')).length, 1);
    });
  });

  it('a plan that killed two planners is given up, and a person is told why', async () => {
    await bench(ROLLOUT, async (b) => {
      const id = await b.incident();
      await drain(b.replica());
      const [{ id: investigation } = { id: '' }] = await b.db.query<{ id: string }>('SELECT id FROM investigations');
      for (const bootId of ['first', 'second']) {
        const attempts = createAttempts(
          { ...b.deps, holder: { pod: 'test', bootId, pid: bootId }, isAlive: () => false },
          'plan',
        );
        await attempts.standing([investigation]);
        await attempts.begin([investigation]);
      }
      const third = { ...b.deps, holder: { pod: 'test', bootId: 'third', pid: 'third' }, isAlive: () => false };
      await drain(createPlanStage(third, { bounds: BOUNDS }));
      const [plan] = await b.db.query<{ status: string; reject_reason: string }>('SELECT * FROM plans');
      assert.deepEqual([plan?.status, plan?.reject_reason], ['rejected', 'unreadable']);
      assert.equal((await incidentRow(b, id))?.state, 'Escalated');
      assert.equal((await readStoredHealth(b.db)).unreadable.plans, 1);
    });
  });

  it('a cause that no act repairs goes to a person with what they would run', async () => {
    const world: World = {
      pods: [
        pod('a', {
          ready: false,
          status: waiting('ImagePullBackOff', 'manifest unknown: not found'),
          container: { image: 'r.example/app:9' },
        }),
      ],
      replicaSets: [replicaSet(1, { image: 'r.example/app:9' })],
    };
    await bench(world, async (b) => {
      const id = await b.incident();
      await drain(b.replica(), planner(b));
      const row = await incidentRow(b, id);
      assert.deepEqual([row?.state, row?.escalation_reason], ['Escalated', 'NoPlanProduced']);
      const [event] = await b.db.query<{ reason: string; data: { commands: readonly string[] } }>(
        `SELECT reason, data FROM incident_events WHERE edge = 'I6'`,
      );
      assert.equal(event?.reason, 'needs-person:image');
      assert.match(event?.data.commands[0] ?? '', /kubectl set image deployment\/app/);
      const [plan] = await b.db.query<{ status: string }>('SELECT status FROM plans');
      assert.equal(plan?.status, 'empty');
      assert.equal((await b.db.query('SELECT 1 FROM actions')).length, 0);
    });
  });

  it('a plan with text that no column holds is kept with what of it can be', async () => {
    await bench(ROLLOUT, async (b) => {
      const id = await b.incident();
      await b.replica().pass(never);
      const [looked] = await b.db.query<{ id: string }>('SELECT id FROM investigations');
      const text = 'nul \u0000 half \ud800 spelled \\u0000';
      await b.db.transaction(async (tx) => {
        const investigation = await claimUnplanned(tx, looked?.id ?? '');
        assert.ok(investigation);
        const plan = none('no-safe-action', text, { commands: [text] });
        assert.ok(plan.kind === 'none');
        const parts = { incidents: b.deps.incidents, newId: () => b.deps.ids.uuid() };
        const escalation = { reason: plan.escalation, causedBy: undefined };
        await commitNone(tx, parts, investigation, plan, escalation, { kind: 'rules' });
      });
      const [plan] = await b.db.query<{ raw: { commands: readonly string[] } }>('SELECT raw FROM plans');
      assert.deepEqual(plan?.raw.commands, ['nul  half \ufffd spelled \\u0000']);
      assert.equal((await incidentRow(b, id))?.state, 'Escalated');
    });
  });

  it('a plan on claims that do not stand is refused whole, and no action exists', async () => {
    verifies('H3-47');
    await bench(ROLLOUT, async (b) => {
      const id = await b.incident();
      const lying = b.replica({
        investigator: {
          executor: 'Rules',
          investigate: async (_subject, recorder) => {
            const { stepId } = await recorder.call({ tool: 'get_nodes', args: {} });
            return {
              findings: [
                {
                  category: 'configuration',
                  statement: 's',
                  certainty: 'proven',
                  rule: 'r',
                  primary: true,
                  cause: {
                    kind: 'rollout-change',
                    workload: { kind: 'Deployment', namespace: 'shop', name: 'app', uid: 'u' },
                    symptom: 'crash',
                    revision: 2,
                    previousRevision: 1,
                    changedAt: new Date(0),
                    changes: [],
                  },
                  evidence: [{ stepId, excerpt: 'words that no step holds' }],
                },
              ],
              gaps: [],
              summary: '',
            };
          },
        },
      });
      await drain(lying, planner(b));
      const row = await incidentRow(b, id);
      assert.deepEqual([row?.state, row?.escalation_reason], ['Escalated', 'GroundingRejected']);
      const [plan] = await b.db.query<{ status: string; reject_reason: string }>(
        'SELECT status, reject_reason FROM plans',
      );
      assert.deepEqual([plan?.status, plan?.reject_reason], ['rejected', 'grounding-rejected']);
      assert.equal((await b.db.query('SELECT 1 FROM actions')).length, 0);
    });
  });

  it('a look that ran out of its budget ends by that name and proposes nothing', async () => {
    await bench(ROLLOUT, async (b) => {
      const id = await b.incident();
      await drain(b.replica({ config: { budgetSteps: 4 } }), planner(b));
      const row = await incidentRow(b, id);
      assert.deepEqual([row?.state, row?.escalation_reason], ['Escalated', 'BudgetExhausted']);
      assert.equal((await b.db.query('SELECT 1 FROM actions')).length, 0);
      assert.equal((await b.db.query('SELECT 1 FROM steps')).length, 4, 'evidence is kept');
    });
  });

  const DB_POD = pod('db-1', {
    ready: false,
    status: crashed(134),
    labels: { app: 'db', 'pod-template-hash': 'h1' },
    owner: { kind: 'ReplicaSet', name: 'db-h1', uid: 'x', controller: true },
  });
  const CALLER: World = {
    pods: [pod('a', { ready: false, status: crashed() })],
    services: [{ name: 'db', ready: 0, selector: { app: 'db' } }],
    others: { db: [DB_POD] },
    logs: { a: 'error dial db.shop.svc:5432: connection refused' },
  };

  it('a caller points at the incident of what it calls, when there is one', async () => {
    await bench(CALLER, async (b) => {
      const cause = await b.incident('db');
      const caller = await b.incident('app');
      await drain(b.replica(), planner(b));
      const row = await incidentRow(b, caller);
      assert.deepEqual([row?.escalation_reason, row?.caused_by], ['UpstreamCause', cause]);
      assert.equal((await b.db.query(`SELECT 1 FROM actions WHERE incident_id = $1`, [caller])).length, 0);
    });
  });

  it('a caller is linked when the incident of what it calls opens later', async () => {
    await bench(CALLER, async (b) => {
      const caller = await b.incident('app');
      await drain(b.replica(), planner(b));
      assert.deepEqual((await incidentRow(b, caller))?.caused_by, null);
      const cause = await b.incident('db');
      assert.equal(await planner(b).pass(never), 1);
      assert.equal((await incidentRow(b, caller))?.caused_by, cause);
      const notes = await b.db.query<{ reason: string }>(`SELECT reason FROM incident_events WHERE kind = 'note'`);
      assert.deepEqual(
        notes.map(({ reason }) => reason),
        ['cause-linked'],
      );
      assert.equal(await planner(b).pass(never), 0, 'linked once');
    });
  });
});
