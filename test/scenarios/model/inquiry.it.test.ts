import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { World } from '@hephaisto/core/diagnose/case.fixture';
import { stopInvestigation } from '@hephaisto/operator/commands/investigation-stop';
import { readTranscript } from '@hephaisto/operator/flow/9-report/transcript';
import { sweepOnce } from '@hephaisto/operator/wiring/housekeeping';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { inOrder, type Script, says } from '../../support/model-script.ts';
import { WIRES } from './channel-bench.ts';
import { findingsAt, looksAt, modelBench, planAt } from './inquiry-bench.ts';
import { call, conclude, honest, labelWith, PROVEN, readLog, WEDGED } from './wedged-world.ts';

const LIMIT = { timeout: 120_000 };
const never = new AbortController().signal;

function isOfTwo({ role }: { readonly role: string }): boolean {
  return role === 'user' || role === 'assistant';
}

describe('a model investigates', LIMIT, () => {
  for (const wire of WIRES) {
    it(`${wire}: reads what rules cannot judge, quotes it, and a planner without tools proposes`, async () => {
      verifies('H3-3', 'H3-7', 'H3-12', 'H3-17', 'H1-12', 'H1-14', 'H1-15', 'H1-29');
      await modelBench(
        WEDGED,
        honest,
        async ({ db, standIn, settle, deps }) => {
          const id = await settle();
          const [look] = await looksAt(db, id);
          assert.deepEqual(
            [look?.state, look?.model_note?.looked, look?.model_note?.reason],
            ['Concluded', true, 'concluded'],
          );
          const primary = (await findingsAt(db, id)).find((finding) => finding.is_primary);
          assert.deepEqual(
            [primary?.rule, primary?.certainty, primary?.cause.kind],
            [null, 'likely', 'stale-local-state'],
          );
          const plan = await planAt(db, id);
          assert.deepEqual([plan?.producer, plan?.status], ['planner', 'accepted']);
          const [action] = await db.query<{ type: string; target_name: string; target_uid: string }>(
            'SELECT * FROM actions',
          );
          assert.deepEqual(
            [action?.type, action?.target_name, action?.target_uid],
            ['RestartPod', 'app-c', 'uid-app-c'],
          );
          const [first, second, planned] = standIn.requests;
          assert.ok(
            planned?.hasSchema && planned.tools.length === 0 && !/functionDeclarations|"tools"/.test(planned.raw),
          );
          assert.ok(planned?.turns.every((turn) => turn.calls.length === 0 && turn.results.length === 0));
          assert.ok(first?.tools.includes('conclude') && !first.hasSchema);
          assert.ok(second?.prompt.startsWith(first?.prompt ?? 'nothing'));
          assert.ok(
            standIn.requests.every(({ system }) => !/app-c|segment index|crashes/.test(system)),
            'no data',
          );
          assert.ok(standIn.requests.every(({ turns }) => turns[0]?.role === 'user' && turns.every(isOfTwo)));
          const calls = await db.query<{ outcome: string; purpose: string; cost_usd: string }>(
            'SELECT outcome, purpose, cost_usd FROM llm_usage ORDER BY started_at',
          );
          assert.deepEqual(
            calls.map(({ outcome, purpose }) => [outcome, purpose]),
            [
              ['ok', 'turn'],
              ['ok', 'turn'],
              ['ok', 'plan'],
            ],
          );
          assert.ok(calls.every(({ cost_usd }) => Number(cost_usd) > 0));
          assert.deepEqual(await db.query('SELECT DISTINCT status FROM turns'), [{ status: 'DONE' }]);
          assert.deepEqual(deps.complaints, []);
        },
        { wire },
      );
    });
  }

  it('a cause that a rule has proven costs nothing', async () => {
    await modelBench(PROVEN, honest, async ({ db, standIn, settle }) => {
      const id = await settle();
      const [look] = await looksAt(db, id);
      assert.deepEqual([look?.state, look?.model_note?.reason], ['Concluded', 'proven-by-rules']);
      assert.equal(standIn.requests.length, 0);
      assert.equal((await planAt(db, id))?.producer, 'rules');
    });
  });

  it('a model that must look at a proven cause too cannot take its word', async () => {
    const script: Script = (request) =>
      request.hasSchema
        ? honest(request)
        : conclude({
            cause: { kind: 'crash-application' },
            evidence: [{ step: labelWith(request, 'changed spec.template'), excerpt: 'changed spec.template' }],
          });
    await modelBench(
      PROVEN,
      script,
      async ({ db, settle }) => {
        const primary = (await findingsAt(db, await settle())).find((finding) => finding.is_primary);
        assert.deepEqual([primary?.rule, primary?.certainty], ['rollout-change', 'proven']);
      },
      { skipProven: false },
    );
  });

  const DOWN: readonly (readonly [string, Script, string])[] = [
    ['a server that is away', inOrder({ kind: 'status', status: 503 }), 'unavailable'],
    ['a key that is refused', inOrder({ kind: 'status', status: 401 }), 'unavailable'],
    ['a safety block', inOrder({ kind: 'block-prompt' }), 'refused'],
    [
      'an answer cut off at the maximum',
      inOrder({ kind: 'answer', parts: [{ text: 'I' }], stop: 'length' }),
      'truncated',
    ],
    ['words without end', inOrder(says({ text: 'Let me think.' })), 'stalled'],
  ];
  for (const [sentence, script, reason] of DOWN) {
    it(`${sentence}: what rules found stands, and it is said that no model concluded and why`, async () => {
      await modelBench(WEDGED, script, async ({ db, settle }) => {
        const id = await settle();
        const [look] = await looksAt(db, id);
        assert.deepEqual([look?.state, look?.model_note?.reason], ['Concluded', reason]);
        const primary = (await findingsAt(db, id)).find((finding) => finding.is_primary);
        assert.deepEqual([primary?.rule, primary?.certainty], ['bad-replica', 'possible']);
        const [incident] = await db.query<{ state: string; escalation_reason: string }>(
          'SELECT * FROM incidents WHERE id = $1',
          [id],
        );
        assert.deepEqual([incident?.state, incident?.escalation_reason], ['Escalated', 'LowConfidence']);
      });
    });
  }

  it('an unknown tool, wrong arguments and a repeated question are answered with what to do instead, and count', async () => {
    verifies('H3-10', 'H4-81', 'H4-83', 'H4-87', 'H4-98');
    const script: Script = (request, n) => {
      if (request.hasSchema) return honest(request);
      if (n === 0)
        return says(
          call('delete_pod', { name: 'app-c' }),
          call('get_logs', { pod: 7 }),
          readLog('app-c'),
          readLog('app-c'),
        );
      const results = request.turns[2]?.results ?? [];
      assert.match(results[0]?.text ?? '', /expected one of get_workload/);
      assert.match(results[1]?.text ?? '', /namespace/);
      assert.match(results[2]?.text ?? '', /segment index/);
      assert.match(results[3]?.text ?? '', /holds the answer to exactly this already/);
      return honest(request);
    };
    await modelBench(WEDGED, script, async ({ db, settle }) => {
      const id = await settle();
      const errors = await db.query<{ error_kind: string }>(
        `SELECT error_kind FROM steps WHERE status = 'error' ORDER BY ordinal`,
      );
      assert.deepEqual(
        errors.map(({ error_kind }) => error_kind),
        ['unknown-tool', 'invalid-arguments'],
      );
      const logs = await db.query(`SELECT 1 FROM steps WHERE tool_name = 'get_logs' AND args->>'pod' = 'app-c'`);
      assert.equal(logs.length, 1, 'asked twice at once, read once, and both are answered');
      assert.equal((await looksAt(db, id))[0]?.state, 'Concluded');
    });
  });

  it('a conclusion whose quotation does not stand is sent back once, and kept dropped if it is not corrected', async () => {
    const invented = { evidence: [{ step: 'bcdfghjk', excerpt: 'the disk of node-a is full of bees' }] };
    await modelBench(WEDGED, inOrder(conclude(invented)), async ({ db, standIn, settle }) => {
      verifies('H3-45', 'H3-46', 'H3-47', 'H3-49');
      const id = await settle();
      assert.equal(standIn.requests.length, 2);
      assert.match(standIn.requests[1]?.turns[2]?.results[0]?.text ?? '', /do not stand/);
      const model = (await findingsAt(db, id)).filter(({ rule }) => rule === null);
      assert.deepEqual(
        model.map(({ status, rejections }) => [status, rejections]),
        [['dropped', ['unknown_step']]],
      );
    });
  });

  it('when the steps are used up there is one more call, which can only conclude', async () => {
    verifies('H4-69', 'H4-44');
    const script: Script = (request, n) => {
      if (request.only === 'conclude')
        return conclude({
          evidence: [
            {
              step: labelWith(request, 'app-c container app'),
              excerpt: 'pod app-c container app: waiting CrashLoopBackOff',
            },
          ],
          cause: { kind: 'unknown' },
        });
      return says(call('get_pod', { namespace: 'shop', name: `app-${n}` }));
    };
    await modelBench(
      WEDGED,
      script,
      async ({ db, standIn, settle }) => {
        const id = await settle();
        const [look] = await looksAt(db, id);
        assert.deepEqual(
          [look?.state, look?.end_reason, look?.model_note?.exhausted],
          ['BudgetExhausted', 'budget:steps', 'steps'],
        );
        assert.equal(standIn.requests.filter(({ only }) => only === 'conclude').length, 1);
        assert.equal(standIn.requests.at(-1)?.only, 'conclude');
        assert.ok(standIn.requests.length > 2);
        const heads = standIn.requests.map(({ system, tools }) => JSON.stringify([system, tools]));
        assert.equal(new Set(heads).size, 1, 'the head is the same bytes to the last call');
        const model = (await findingsAt(db, id)).filter(({ rule }) => rule === null);
        assert.deepEqual(
          model.map(({ status }) => status),
          ['grounded'],
        );
        const [incident] = await db.query<{ escalation_reason: string }>('SELECT * FROM incidents WHERE id = $1', [id]);
        assert.equal(incident?.escalation_reason, 'BudgetExhausted');
      },
      { config: { budgetSteps: 9 } },
    );
  });

  it('when the time is nearly up there is one more call, which can only conclude', async () => {
    // Each question is a new one: what is asked again and again ends a look before its time is up.
    const script: Script = async (request, n) => {
      if (request.only === 'conclude') return honest(request);
      await sleep(400);
      return says(n === 0 ? readLog('app-c') : call('get_pod', { namespace: 'shop', name: `app-${n}` }));
    };
    await modelBench(
      WEDGED,
      script,
      async ({ db, standIn, settle }) => {
        const [look] = await looksAt(db, await settle());
        assert.deepEqual([look?.state, look?.end_reason], ['BudgetExhausted', 'budget:time']);
        assert.equal(standIn.requests.filter(({ only }) => only === 'conclude').length, 1);
      },
      { config: { deadlineMs: 24_000, budgetSteps: 100 }, graceMs: 20_000, spend: { callsPerTurn: 100 } },
    );
  });

  it('when its money is used up there is one more call, for which it was kept back', async () => {
    verifies('H3-11');
    const script: Script = (request, n) =>
      request.only === 'conclude'
        ? honest(request)
        : says(n === 0 ? readLog('app-c') : call('get_pod', { namespace: 'shop', name: `app-${n}` }));
    await modelBench(
      WEDGED,
      script,
      async ({ db, standIn, settle }) => {
        const [look] = await looksAt(db, await settle());
        assert.deepEqual([look?.state, look?.end_reason], ['BudgetExhausted', 'budget:usd']);
        assert.equal(standIn.requests.at(-1)?.only, 'conclude');
        assert.ok(Number(look?.cost_usd) <= 0.045);
      },
      { spend: { perTurn: 0.045 }, config: { budgetSteps: 100 } },
    );
  });
});

describe('budgets of all calls', LIMIT, () => {
  it('an hour that is full sends nothing, says so, and the rules’ result stands', async () => {
    verifies('H3-143');
    await modelBench(
      WEDGED,
      honest,
      async ({ db, standIn, settle }) => {
        const [look] = await looksAt(db, await settle());
        assert.deepEqual(
          [look?.state, look?.model_note?.looked, look?.model_note?.reason],
          ['Concluded', false, 'over-budget'],
        );
        assert.match(look?.model_note?.message ?? '', /budget of the hour/);
        assert.equal(standIn.requests.length, 0);
      },
      { spend: { perHour: 0.001 } },
    );
  });

  it('a spend beyond twice the hour’s latches acting alone, once, audited, until a person lifts it', async () => {
    verifies('H3-143');
    await modelBench(WEDGED, honest, async ({ db, settle, incident, parts, standIn }) => {
      await settle();
      await db.execute('UPDATE llm_usage SET cost_usd = 25');
      const sent = standIn.requests.length;
      for (const owner of ['one', 'two']) {
        await incident(owner);
        await drain(parts.investigate, parts.plan);
      }
      assert.equal(standIn.requests.length, sent, 'nothing was sent');
      const switches = await db.query(`SELECT value, version FROM switches WHERE name = 'runaway_latch'`);
      assert.deepEqual(switches, [{ value: 'on', version: 1 }]);
      const audited = await db.query(`SELECT verb FROM audit_log WHERE subject_id = 'runaway_latch'`);
      assert.equal(audited.length, 1);
    });
  });

  it('two investigations at once cannot both take the last of the hour', async () => {
    await modelBench(
      WEDGED,
      honest,
      async ({ db, incident, parts }) => {
        await incident('one');
        await incident('two');
        await incident('three');
        await drain(parts.investigate);
        const [sum] = await db.query<{ most: number }>(`SELECT sum(cost_usd)::float8 AS most FROM llm_usage`);
        assert.ok((sum?.most ?? 0) <= 0.02);
        const notes = await db.query<{ reason: string }>(`SELECT model_note->>'reason' AS reason FROM investigations`);
        assert.ok(notes.some(({ reason }) => reason === 'over-budget'));
      },
      { spend: { perHour: 0.02 } },
    );
  });
});

describe('stopping', LIMIT, () => {
  it('a person ends a call that is under way within a second, and has the incident', async () => {
    const silent = { firstByteMs: 20_000, idleMs: 20_000 };
    await modelBench(
      WEDGED,
      inOrder({ kind: 'stall', after: 'a-piece' }),
      async ({ db, deps, standIn, incident, parts }) => {
        const id = await incident();
        const pass = parts.investigate.pass(never);
        while (standIn.requests.length === 0) await sleep(20);
        await sleep(50);
        const [look] = await looksAt(db, id);
        await db.execute(`INSERT INTO principals (subject, kind, display_name) VALUES ('ana', 'person', 'Ana')`);
        const command = { investigationId: look?.id ?? '', reason: 'enough', actor: 'ana', origin: 'api' } as const;
        const begun = performance.now();
        assert.equal((await stopInvestigation(deps, command)).kind, 'done');
        await pass;
        assert.ok(performance.now() - begun < 1_000);
        for (let n = 0; n < 100 && (await standIn.openConnections()) > 0; n += 1) await sleep(20);
        assert.equal(await standIn.openConnections(), 0);
        assert.deepEqual(await db.query('SELECT state, end_reason FROM investigations'), [
          { state: 'Stopped', end_reason: 'stopped-by-person' },
        ]);
        assert.deepEqual(await db.query('SELECT status FROM turns'), [{ status: 'STOPPED' }]);
        const kept = await findingsAt(db, id);
        assert.ok(kept.length > 0 && kept.every(({ rule, status }) => rule !== null && status === 'grounded'));
        assert.equal((await looksAt(db, id))[0]?.model_note?.reason, 'stopped', 'what the rules had found is kept');
        assert.deepEqual(await db.query('SELECT state, escalation_reason FROM incidents'), [
          { state: 'Escalated', escalation_reason: 'Stopped' },
        ]);
        assert.deepEqual(await db.query('SELECT outcome FROM llm_usage'), [{ outcome: 'aborted' }]);
        const again = await stopInvestigation(deps, command);
        assert.equal(again.kind === 'refused' && again.reason, 'already-ended');
        assert.equal(await parts.investigate.pass(never), 0, 'nothing begins by itself');
      },
      { channel: { stall: silent } },
    );
  });
});

describe('what leaves the cluster', LIMIT, () => {
  it('is kept byte for byte, with who it went to, and what was taken out of it', async () => {
    const told: World = { ...WEDGED, logs: { 'app-c': `API_TOKEN=abc123canary\n${WEDGED.logs?.['app-c'] ?? ''}` } };
    await modelBench(told, honest, async ({ db, standIn, settle }) => {
      const id = await settle();
      const transcript = await readTranscript(db, id, (bytes) => gunzipSync(bytes).toString('utf8'));
      assert.deepEqual(
        transcript.turns.map(({ kind, status }) => [kind, status]),
        [
          ['investigation', 'DONE'],
          ['planner', 'DONE'],
        ],
      );
      const calls = transcript.turns.flatMap((turn) => turn.calls);
      assert.deepEqual(
        calls.map((each) => each.sent.body),
        standIn.requests.map(({ raw }) => raw),
      );
      assert.ok(calls.every(({ recipient }) => recipient.host === new URL(standIn.url).host));
      assert.ok(calls[1] !== undefined && calls[1].sent.redactions > 0);
      assert.doesNotMatch(JSON.stringify(transcript), /canary/);
      const everything = await db.query('SELECT to_jsonb(s) AS row FROM steps s');
      assert.doesNotMatch(JSON.stringify(everything), /canary/);
      await db.moveClock('31 days');
      assert.equal((await sweepOnce(db))['expired transcripts'], 3);
      const later = await readTranscript(db, id, () => assert.fail('nothing is left to read'));
      const left = later.turns.flatMap((turn) => turn.calls);
      assert.deepEqual([left.length, later.costUsd], [3, transcript.costUsd], 'what was spent stays known');
      assert.ok(left.every(({ sent }) => sent.body === null && sent.sha256 === null));
    });
  });
});
