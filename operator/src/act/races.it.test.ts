import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DATABASES, type DatabaseUnderTest, type TestDatabase } from '@hephaisto/test/database';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { createLeases } from '../adapters/postgres/leases.ts';
import { decideProposal } from '../commands/proposal-decide.ts';
import { setSwitch } from '../commands/switch-set.ts';
import { createAdmitStage } from '../flow/6-admit/stage.ts';
import { createActStage } from '../flow/7-act/stage.ts';
import { readAction } from './action-row.ts';
import { type Admission, admit } from './admission.ts';
import { judge } from './judge.ts';
import { countHealth, makeWorld, PATCH, testPolicy, type World } from './testing/world.ts';

for (const database of DATABASES) suite(database);

function suite({ name, open }: DatabaseUnderTest): void {
  describe(`races over one workload (${name})`, () => {
    // The embedded database has one connection, on which nothing can race; fewer show the same there.
    const many = name === 'postgres' ? 200 : 25;

    it(`${many} admissions with room for one: one admitted, ${many - 1} told why`, async () => {
      verifies('H3-58', 'H3-197', 'H3-198', 'H3-66');
      await using db = await open();
      const w = await makeWorld(db);
      const proposed: string[] = [];
      for (let i = 0; i < many; i += 1) proposed.push((await w.propose(PATCH)).actionId);
      const first = await readAction(db, proposed[0] ?? '');
      if (first?.request === undefined) return assert.fail('expected an action');
      const judged = await judge(w.deps, { ...first, request: first.request });
      assert.equal(judged.decision.decision, 'Allow');
      const connections = [db, ...[1, 2, 3].map(() => db.connect())];
      const answers: readonly Admission[] = await Promise.all(
        proposed.map((actionId, index) =>
          (connections[index % connections.length] ?? db).transaction((tx) =>
            admit(tx, w.deps, { actionId, judged, approvedBy: [] }),
          ),
        ),
      );
      const admitted = answers.filter(({ kind }) => kind === 'admitted');
      const reasons = new Set(answers.map((answer) => (answer.kind === 'refused' ? answer.reason : 'admitted')));
      assert.deepEqual([admitted.length, [...reasons].sort()], [1, ['admitted', 'cooldown']]);
      const [rows] = await db.query<{ n: number; booked: number }>(
        `SELECT count(*)::int AS n, (SELECT count(*)::int FROM budget_entries WHERE budget = 'actions_hour') AS booked FROM actions WHERE state = 'Admitted'`,
      );
      assert.deepEqual(rows, { n: 1, booked: 1 });
    });

    const workloads = name === 'postgres' ? 50 : 12;

    it(`two replicas, ${workloads} actions of as many workloads, a budget of one: one acts alone, the rest wait for a person`, async () => {
      verifies('H3-55', 'H3-57', 'H3-197', 'H3-198');
      await using db = await open();
      const policy = testPolicy({ budgets: { perHour: 1, perDay: 100, perNamespaceHour: 100 } });
      const w = await makeWorld(db, { policy });
      const ids: string[] = [];
      for (let i = 0; i < workloads; i += 1) {
        const target = { kind: 'Deployment', namespace: 'shop', name: `app-${i}`, uid: `uid-${i}` };
        const template = structuredClone(w.cluster.objects.get('deployments/shop/checkout') ?? {});
        w.cluster.put('deployments', 'shop', target.name, {
          ...template,
          metadata: { ...(template.metadata as object), name: target.name, uid: target.uid },
        });
        ids.push((await w.propose({ ...PATCH, workload: target, target })).actionId);
      }
      const other = await makeWorld(db.connect(), { policy, cluster: w.cluster });
      await Promise.all([drain(w.stages().admit), drain(other.stages().admit)]);
      await Promise.all([drain(w.stages().act), drain(other.stages().act)]);
      const states = await db.query<{ state: string; n: number }>(
        `SELECT state, count(*)::int AS n FROM actions GROUP BY state ORDER BY state`,
      );
      assert.deepEqual(states, [
        { state: 'AwaitingApproval', n: workloads - 1 },
        { state: 'Verifying', n: 1 },
      ]);
      assert.equal(w.cluster.real.length, 1);
    });

    it('cooldown: refused at 14:59, admitted at 15:00', async () => {
      verifies('H3-58');
      await using db = await open();
      const w = await makeWorld(db, { policy: testPolicy({ budgets: { perNamespaceHour: 100 } }) });
      await w.propose(PATCH);
      await drain(w.stages().admit);
      await db.execute(`UPDATE actions SET state = 'Refused' WHERE state = 'Admitted'`);
      for (const [offset, expected] of [
        ['14 minutes 55 seconds', 'Denied'],
        ['15 minutes', 'Admitted'],
      ] as const) {
        await db.moveClock(offset);
        const { actionId } = await w.propose(PATCH);
        await drain(w.stages().admit);
        assert.equal((await w.action(actionId)).state, expected, offset);
      }
    });

    it('approve against approve, against deny, in every order: the first commit decides, everybody else hears by whom', async () => {
      await using db = await open();
      const w = await makeWorld(db, { mode: 'approve', policy: testPolicy({}, { cooldown: '0s' }) });
      for (const decisions of [
        ['approve', 'approve'],
        ['approve', 'deny'],
        ['deny', 'approve'],
        ['deny', 'deny'],
      ] as const) {
        const { actionId } = await w.propose(PATCH);
        await drain(w.stages().admit);
        const shown = await w.openProposal(actionId);
        const answers = await Promise.all(
          decisions.map((decision, index) =>
            decideProposal(w.deps, {
              proposalId: shown.id,
              decision,
              digest: shown.digest,
              reason: 'because',
              actor: ['person:ada', 'person:bob'][index] ?? '',
              source: 'api',
            }),
          ),
        );
        const voted = answers.filter(({ kind }) => kind === 'voted');
        const refused = answers.flatMap((answer) => (answer.kind === 'refused' ? [answer] : []));
        assert.deepEqual(
          [voted.length, refused.map(({ reason }) => reason)],
          [1, ['already-decided']],
          decisions.join(),
        );
        const winner = answers[0]?.kind === 'voted' ? 'person:ada' : 'person:bob';
        assert.equal(refused[0]?.details?.by, winner);
        const [votes] = await db.query<{ n: number }>(
          'SELECT count(*)::int AS n FROM approvals WHERE proposal_id = $1',
          [shown.id],
        );
        assert.equal(votes?.n, 1);
        await db.execute(`UPDATE actions SET state = 'Refused' WHERE id = $1 AND state = 'Approved'`, [actionId]);
      }
    });

    it('a vote against the clock, a switch, a moved target: never both', async () => {
      await using db = await open();
      const rivals: readonly [string, (w: World) => Promise<unknown>][] = [
        ['clock', () => db.moveClock('61 minutes')],
        [
          'switch',
          (w) => setSwitch(w.deps, { name: 'emergency_stop', value: 'on', reason: 'now', actor: 'person:eve' }),
        ],
        [
          'target',
          async (w) =>
            w.cluster.edit('deployments', 'checkout', (o) =>
              Object.assign(o.spec as object, { template: freshTemplate(9) }),
            ),
        ],
      ];
      for (const [what, rival] of rivals)
        for (const first of ['vote', 'rival'] as const) {
          await db.moveClock('0');
          await db.execute(`UPDATE switches SET value = 'off' WHERE name = 'emergency_stop'`);
          const w = await makeWorld(db, { mode: 'approve', policy: testPolicy({}, { cooldown: '0s' }) });
          const { actionId, incidentId } = await w.propose(PATCH);
          await drain(w.stages().admit);
          const shown = await w.openProposal(actionId);
          const vote = () =>
            decideProposal(w.deps, {
              proposalId: shown.id,
              decision: 'approve',
              digest: shown.digest,
              actor: 'person:ada',
              source: 'api',
            });
          const upset = () => rival(w).then(() => drain(w.stages().admit));
          const [answer] =
            first === 'vote'
              ? await Promise.all([vote(), upset()])
              : await Promise.all([upset().then(vote), drain(w.stages().admit)]);
          await drain(w.stages().admit, w.stages().act);
          const [proposal] = await db.query<{ state: string }>('SELECT state FROM proposals WHERE id = $1', [shown.id]);
          const { state } = await w.action(actionId);
          const told = `${what}, ${first} first: ${proposal?.state}, ${state}`;
          assert.equal(answer.kind === 'voted', proposal?.state === 'Approved', told);
          assert.ok(['Verifying', 'Withdrawn', 'ApprovalExpired', 'Refused'].includes(state), told);
          assert.equal((await w.incident(incidentId)).state, state === 'Verifying' ? 'Verifying' : 'Escalated', told);
          assert.equal(w.cluster.real.length, state === 'Verifying' ? 1 : 0, told);
          if (first === 'rival') assert.notEqual(state, 'Verifying', told);
        }
    });

    it('no admission commits behind a switch', async () => {
      verifies('H3-197', 'H3-59');
      await using db = await open();
      const w = await makeWorld(db, {
        policy: testPolicy({ budgets: { perHour: 1000, perDay: 1000, perNamespaceHour: 1000 } }, { cooldown: '0s' }),
      });
      const second = createAdmitStage({ ...w.deps, db: db.connect() });
      for (let round = 0; round < 3; round += 1) {
        for (let i = 0; i < 4; i += 1) await w.propose(PATCH);
        const stop = setSwitch(w.deps, { name: 'emergency_stop', value: 'on', reason: 'now', actor: 'person:eve' });
        await Promise.all([drain(w.stages().admit), drain(second), stop]);
        const behind = await db.query(
          `SELECT a.id FROM actions a, switches s WHERE s.name = 'emergency_stop' AND a.admitted_at > s.set_at + interval '5 seconds'`,
        );
        const [audit] = await db.query<{ behind: number }>(
          `SELECT count(*)::int AS behind FROM audit_log a WHERE a.verb = 'action.admit'
             AND a.id > (SELECT max(id) FROM audit_log WHERE verb = 'switch.set' AND detail ->> 'to' = 'on')`,
        );
        assert.deepEqual([behind.length, audit?.behind], [0, 0]);
        await setSwitch(w.deps, { name: 'emergency_stop', value: 'off', reason: 'again', actor: 'person:eve' });
        await db.execute(`UPDATE actions SET state = 'Refused' WHERE state = 'Admitted'`);
      }
    });

    it('a process that was held up past its lease sends nothing; the other reads back', async () => {
      verifies('H3-198', 'H4-20');
      await using db = await open();
      // The other one's pause between two reads is longer than its lease, which it must keep meanwhile.
      const w = await makeWorld(db, { settings: { leaseTtlMs: 1_000, readbackPausesMs: [0, 1_300] } });
      const { actionId, incidentId } = await w.propose(PATCH);
      await drain(w.stages().admit);
      const held = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      let ahead = 0;
      const paused = createActStage({
        ...w.deps,
        clock: { ...w.deps.clock, monotonicMs: () => performance.now() + ahead },
        faults: {
          async hit(point) {
            if (point !== 'act:execute-started') return;
            reached.resolve();
            await held.promise;
          },
        },
      });
      const stopped = drain(paused);
      await reached.promise;
      await expire(db, actionId);
      await drain(w.stages().act);
      assert.equal((await w.action(actionId)).state, 'Failed');
      ahead = 5_000;
      held.resolve();
      await stopped;
      assert.deepEqual(
        [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason, w.cluster.real.length],
        ['Failed', 'ActionFailed', 0],
      );
    });

    it('a process that comes back with an old epoch cannot write what it did', async () => {
      verifies('H4-116');
      await using db = await open();
      const w = await makeWorld(db);
      const { actionId } = await w.propose(PATCH);
      await drain(w.stages().admit);
      const held = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      const paused = createActStage({
        ...w.deps,
        faults: {
          async hit(point) {
            if (point !== 'act:execute-sent') return;
            reached.resolve();
            await held.promise;
          },
        },
      });
      const stopped = drain(paused);
      await reached.promise;
      await expire(db, actionId);
      await drain(w.stages().act);
      assert.equal((await w.action(actionId)).state, 'Verifying');
      held.resolve();
      await stopped;
      const attempts = await db.query(
        `SELECT outcome, readback FROM action_attempts WHERE action_id = $1 AND phase = 'execute'`,
        [actionId],
      );
      assert.deepEqual([attempts, w.cluster.real.length], [[{ outcome: 'unknown', readback: 'applied' }], 1]);
    });

    it('a process that is held up between its last look and the call: what it did is known, whoever read what before', async () => {
      verifies('H4-20', 'H4-116', 'H3-198');
      for (const order of ['answered before the readback is settled', 'answered after it'] as const) {
        await using db = await open();
        const w = await makeWorld(db, { settings: { readbackPausesMs: [0, 0, 0] } });
        const { actionId, incidentId } = await w.propose(PATCH);
        await drain(w.stages().admit);
        const [sending, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const paused = createActStage({
          ...w.deps,
          writer: instead(w.deps.writer, {
            async send(write, options) {
              if (options.dryRun) return await w.deps.writer.send(write, options);
              sending.resolve();
              await goOn.promise;
              return await w.deps.writer.send(write, options);
            },
          }),
        });
        const stopped = drain(paused);
        await sending.promise;
        await expire(db, actionId);
        let reads = 0;
        const other = createActStage({
          ...w.deps,
          reader: instead(w.deps.reader, {
            async object(...asked) {
              const found = await w.deps.reader.object(...asked);
              reads += 1;
              // The last of the reads has seen nothing; the answer comes before its transaction.
              if (order === 'answered before the readback is settled' && reads === 3) {
                goOn.resolve();
                await stopped;
              }
              return found;
            },
          }),
        });
        await drain(other);
        goOn.resolve();
        await stopped;
        const [attempt] = await db.query<{ readback: string }>(
          `SELECT readback FROM action_attempts WHERE action_id = $1 AND phase = 'execute'`,
          [actionId],
        );
        const late = await db.query(
          `SELECT 1 FROM incident_events WHERE incident_id = $1 AND reason = 'applied_late'`,
          [incidentId],
        );
        assert.deepEqual(
          [attempt?.readback, w.cluster.real.length, (await w.incident(incidentId)).state, late.length],
          ['applied', 1, ...(order === 'answered after it' ? ['Escalated', 1] : ['Verifying', 0])],
          order,
        );
      }
    });

    it('three times in two hours with the fault coming back: quarantined for a day, another kind is not', async () => {
      verifies('H3-65', 'H3-66');
      await using db = await open();
      const policy = testPolicy({ budgets: { perHour: 100, perDay: 100, perNamespaceHour: 100 } });
      const w = await makeWorld(db, { policy });
      let recurrenceOf: string | undefined;
      let minutes = 0;
      for (let times = 1; times <= 4; times += 1) {
        await db.moveClock(`${minutes} minutes`);
        const { incidentId, actionId } = await w.propose(PATCH, recurrenceOf === undefined ? {} : { recurrenceOf });
        w.cluster.edit('deployments', 'checkout', (o) =>
          Object.assign(o, { spec: { ...(o.spec as object), template: freshTemplate(times) } }),
        );
        await drain(w.stages().admit, w.stages().act);
        assert.equal((await w.action(actionId)).state, times < 4 ? 'Verifying' : 'Denied', `attempt ${times}`);
        if (times === 4) assert.equal((await w.incident(incidentId)).escalation_reason, 'Quarantined');
        recurrenceOf = incidentId;
        minutes += 20;
      }
      await db.moveClock('25 hours 30 minutes');
      await countHealth(db);
      const later = await w.propose(PATCH);
      await drain(w.stages().admit);
      assert.equal((await w.action(later.actionId)).state, 'Admitted');
    });
  });
}

function freshTemplate(n: number): object {
  return {
    metadata: { labels: { app: 'checkout' } },
    spec: { containers: [{ name: 'app', image: `app:${n}`, resources: { limits: { memory: '128Mi' } } }] },
  };
}

/** The same object, with some methods replaced. */
function instead<T extends object>(base: T, methods: Partial<T>): T {
  return Object.assign(Object.create(base) as T, methods);
}

/** As if the holder had been gone for longer than its lease lasts. */
async function expire(db: TestDatabase, key: string): Promise<void> {
  await db.execute(
    `UPDATE leases SET expires_at = app_now() - interval '1 second' WHERE kind = 'action' AND subject_key = $1`,
    [key],
  );
  assert.ok(createLeases(db));
}
