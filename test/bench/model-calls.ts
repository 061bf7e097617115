import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ModelMessage, ModelRequest } from '@hephaisto/core/model/message';
import type { ModelCall } from '@hephaisto/core/ports/model';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { createLeases, requireEpoch } from '@hephaisto/operator/adapters/postgres/leases';
import { openTurn, startTurn } from '@hephaisto/operator/flow/turn-log/turn-rows';
import { createCallLedger, syncModelBudgets } from '@hephaisto/operator/model/ledger/database-ledger';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { insertIncident, insertInvestigation, TEST_CLUSTER } from '@hephaisto/test/incident-rows';
import { type QuietDeps, quietDeps } from '@hephaisto/test/stage-deps';
import { ASK, LOOK, openBench, type WireName } from '../scenarios/model/channel-bench.ts';
import { modelBench, PRICE, SPEND } from '../scenarios/model/inquiry-bench.ts';
import { call, honest, readLog, WEDGED } from '../scenarios/model/wedged-world.ts';
import { inOrder, type Script, says } from '../support/model-script.ts';

const CALLS = 200;
const PLENTY = { ...SPEND, perTurn: 1_000, perHour: 10_000, perDay: 10_000, callsPerTurn: 10_000 };

export interface CallTimes {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly promptBytes: number;
}

/**
 * Milliseconds that a call takes over a server that answers at once: its rows begun and finished in the embedded database, the client library, the
 * socket both ways. The prompt is as long as the longest first one may be, and each call adds a reading to it.
 */
export async function measureChannel(): Promise<CallTimes> {
  await using db = await createTestDatabase();
  const deps = quietDeps(db);
  await syncModelBudgets(db, PLENTY);
  const turn = await runningTurn(db, deps);
  const identity = { provider: 'gemini', model: 'scripted-1', host: '127.0.0.1' };
  const ledger = createCallLedger({ ...deps, requireEpoch }, { identity, price: PRICE, limits: PLENTY, planUsd: 1 });
  const server = fork(fileURLToPath(new URL('./model-stand-in.ts', import.meta.url)));
  try {
    const [url] = (await once(server, 'message')) as [string];
    // A server that is busy with others for a while is not what is measured.
    const stall = { firstByteMs: 10_000, idleMs: 10_000 };
    await using bench = await openBench('gemini', inOrder(says({ text: 'none' })), { turn, url, stall }, ledger);
    const call = async (): Promise<number> => {
      const started = performance.now();
      const { kind } = await bench.call({ request: LONG_ASK, appended: LONG_ASK.messages.slice(-1) });
      if (kind !== 'answer') throw new Error(`expected an answer, found ${kind}`);
      return performance.now() - started;
    };
    for (let n = 0; n < 20; n += 1) await call();
    const times: number[] = [];
    for (let n = 0; n < CALLS; n += 1) times.push(await call());
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(CALLS * share)] ?? Number.POSITIVE_INFINITY;
    return { p50Ms: at(0.5), p95Ms: at(0.95), promptBytes: Buffer.byteLength(JSON.stringify(LONG_ASK)) };
  } finally {
    server.kill();
  }
}

/** Text of a log of about so many bytes. */
function reading(bytes: number): ModelMessage {
  const line = (i: number) =>
    `2026-01-01T00:00:${String(i % 60).padStart(2, '0')}Z handled request id=${i * 7919} took ${i % 900}ms`;
  const text = Array.from({ length: Math.ceil(bytes / 66) }, (_, i) => line(i)).join('\n');
  return { role: 'user', blocks: [{ kind: 'text', text }] };
}

const LONG_ASK: ModelRequest = {
  ...ASK,
  messages: [reading(20_000), { role: 'assistant', blocks: [{ kind: 'text', text: 'I look.' }] }, reading(2_000)],
};

/** A turn that runs under a lease, as one whose calls may be begun. */
async function runningTurn(db: TestDatabase, deps: QuietDeps): Promise<ModelCall['turn']> {
  const incidentId = await insertIncident(db);
  const { investigationId } = await insertInvestigation(db, incidentId, { stepText: 'a text that is long enough' });
  const granted = await createLeases(db).acquire(
    { kind: 'investigation', key: investigationId },
    { runId: deps.ids.uuid(), holder: { pod: 'bench', bootId: 'bench' }, ttlMs: 3_600_000, cluster: TEST_CLUSTER },
  );
  if (granted.kind === 'busy') throw new Error('expected the lease to be free, found it held');
  const { lease } = granted;
  const turnId = await db.transaction(async (tx) => {
    const id = await openTurn(tx, {
      id: deps.ids.uuid(),
      conversationId: deps.ids.uuid(),
      cluster: TEST_CLUSTER,
      incidentId,
      kind: 'investigation',
      requestId: 'bench',
      submittedBy: SERVICE_PRINCIPALS.investigator,
    });
    const head = { slots: [{ name: 'role', text: ASK.system }] };
    await startTurn(tx, id, { head, tools: [LOOK], admission: {} }, lease, 3_600_000);
    return id;
  });
  return { turnId, investigationId, attempt: 1, lease };
}

export interface CacheShare {
  /** Of the bytes of each prompt, those that the next repeats at its head. */
  readonly kept: number;
  /** Of the bytes of each prompt but the first, those that the one before had sent already. */
  readonly known: number;
  readonly calls: number;
}

/** How much of consecutive prompts of one investigation a provider's cache can keep. */
export async function measureCacheShare(wire: WireName): Promise<CacheShare> {
  const reads = [
    readLog('app-c'),
    call('get_events', { namespace: 'shop' }),
    call('get_pod', { namespace: 'shop', name: 'app-a' }),
    call('get_services', { namespace: 'shop' }),
    call('get_nodes', {}),
    call('get_quota', { namespace: 'shop' }),
  ];
  const script: Script = (request, n) => {
    const read = reads[n];
    return read === undefined || request.hasSchema ? honest(request) : says({ text: 'I look further.' }, read);
  };
  let prompts: readonly Buffer[] = [];
  await modelBench(
    WEDGED,
    script,
    async ({ settle, standIn }) => {
      await settle();
      prompts = standIn.requests.filter(({ hasSchema }) => !hasSchema).map(({ prompt }) => Buffer.from(prompt));
    },
    { wire },
  );
  let [before, after, shared] = [0, 0, 0];
  for (const [index, prompt] of prompts.slice(1).entries()) {
    const last = prompts[index] ?? Buffer.alloc(0);
    before += last.length;
    after += prompt.length;
    shared += sharedPrefix(last, prompt);
  }
  return { kept: shared / before, known: shared / after, calls: prompts.length };
}

function sharedPrefix(a: Buffer, b: Buffer): number {
  let length = 0;
  const most = Math.min(a.length, b.length);
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}
