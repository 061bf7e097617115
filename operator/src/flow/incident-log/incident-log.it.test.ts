import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '@hephaisto/core/delivery/route';
import {
  INCIDENT_EDGES,
  INCIDENT_STATES,
  type IncidentEdge,
  type IncidentState,
} from '@hephaisto/core/incident/machine';
import type { OpenIncident } from '@hephaisto/core/ports/incident-log';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { addLocalCluster, type QuietDeps, quietDeps, TEST_CLUSTER } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { sha256Hex } from '../../sources/sha256.ts';
import { createIncidentLog, EVENT_CHANNEL } from './incident-log.ts';

const EVERYTHING: Route = {
  name: 'all',
  channel: 'webhook',
  recipient: 'ops',
  states: INCIDENT_STATES,
  severities: [],
  namespaces: [],
  onUnknown: 'resend',
};

const BY = { actor: 'service:hephaisto/sweeper', origin: 'core' } as const;

/** The shortest way from nothing to each state. */
const WAY: Readonly<Record<IncidentState, readonly IncidentEdge[]>> = {
  Detected: [],
  Triaging: ['I2'],
  Suppressed: ['I2', 'I3'],
  Investigating: ['I2', 'I5'],
  AwaitingApproval: ['I2', 'I5', 'I7'],
  Acting: ['I2', 'I5', 'I8'],
  Verifying: ['I2', 'I5', 'I8', 'I12'],
  Resolved: ['I18'],
  Escalated: ['I2', 'I4'],
  Expired: ['I20'],
};

describe('the log of incidents', { timeout: 120_000 }, () => {
  let db: TestDatabase;
  let deps: QuietDeps;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
    deps = quietDeps(db, [EVERYTHING]);
  });
  after(() => db.close());

  async function open(): Promise<string> {
    const id = deps.ids.uuid();
    const incident: OpenIncident = {
      ...BY,
      id,
      cluster: TEST_CLUSTER,
      fingerprint: sha256Hex(id),
      correlationKey: undefined,
      kind: 'CrashLoopBackOff',
      title: 'a test',
      severity: 'warning',
      namespace: 'shop',
      owner: { kind: 'Deployment', name: 'web' },
      ownerChain: [],
      nodeName: undefined,
      isSelf: false,
      isMeta: false,
      recurrenceOf: undefined,
      firstSignalAt: new Date(),
      lastSignalAt: new Date(),
      reason: 'new-fault',
    };
    await db.transaction((tx) => deps.incidents.open(tx, incident));
    return id;
  }

  async function take(id: string, edge: IncidentEdge): Promise<string> {
    const moved = await db.transaction((tx) =>
      deps.incidents.transition(tx, {
        ...BY,
        incidentId: id,
        edge,
        reason: 'test',
        suppressedReason: 'Duplicate',
        escalationReason: 'LowConfidence',
        resolutionSource: 'human',
      }),
    );
    return moved.kind;
  }

  it('each legal edge is one event, one message and one live notice; the row follows', async () => {
    verifies('H3-19', 'H3-23', 'H3-26', 'H3-27', 'H3-152', 'H3-154');
    const notices: string[] = [];
    const owedNotices: string[] = [];
    const stop = await db.listen(EVENT_CHANNEL, (id) => notices.push(id));
    for (const { edge, from, to } of INCIDENT_EDGES) {
      if (from === '') continue;
      const id = await open();
      for (const step of WAY[from]) assert.equal(await take(id, step), 'moved');
      assert.equal(await take(id, edge), 'moved', `${edge} from ${from}`);
      const rows = await db.query<{
        state: string;
        version: number;
        edge: string;
        from: string;
        to: string;
        sent: number;
        same: boolean;
      }>(
        `SELECT i.state, i.version, e.edge, e.from_state AS "from", e.to_state AS "to",
           (SELECT count(*)::integer FROM notification_deliveries d WHERE d.event_id = e.id) AS sent, true AS same
         FROM incidents i JOIN incident_events e ON e.incident_id = i.id AND e.seq = i.version WHERE i.id = $1`,
        [id],
      );
      // A self-transition repeats a state that was told when it was entered.
      const owed = from === to ? 0 : 1;
      const version = WAY[from].length + 2;
      assert.deepEqual(rows, [{ state: to, version, edge, from, to, sent: owed, same: true }]);
      owedNotices.push(...Array.from({ length: version }, () => id));
    }
    // A server tells them in order, but after its commit has been answered.
    for (let looks = 0; looks < 200 && notices.length < owedNotices.length; looks += 1) await sleep(10);
    await stop();
    assert.deepEqual(notices, owedNotices);
  });

  it('an edge that is not legal writes nothing and says from where it was tried', async () => {
    verifies('H3-19');
    const id = await open();
    const refused = await db.transaction((tx) =>
      deps.incidents.transition(tx, { ...BY, incidentId: id, edge: 'I12', reason: 'test' }),
    );
    assert.deepEqual(refused.kind === 'refused' && [refused.reason, refused.state], ['illegal-edge', 'Detected']);
    const events = await db.query('SELECT 1 FROM incident_events WHERE incident_id = $1', [id]);
    assert.equal(events.length, 1);
  });

  it('a transaction that fails leaves neither state nor message', async () => {
    verifies('H3-151', 'H3-152');
    const id = await open();
    const before = await db.query('SELECT count(*) FROM notification_deliveries');
    await assert.rejects(
      db.transaction(async (tx) => {
        await deps.incidents.transition(tx, { ...BY, incidentId: id, edge: 'I2', reason: 'test' });
        throw new Error('the process dies here');
      }),
    );
    assert.deepEqual(await db.query('SELECT state FROM incidents WHERE id = $1', [id]), [{ state: 'Detected' }]);
    assert.deepEqual(await db.query('SELECT count(*) FROM notification_deliveries'), before);
  });

  it('an edge is counted once it is committed: not when it is rolled back, once when contention runs the transaction again', async () => {
    const id = await open();
    const counted: unknown[] = [];
    const metrics = { count: (name: string, labels?: unknown) => void counted.push([name, labels]) };
    const incidents = createIncidentLog({ ids: deps.ids, routes: [], metrics });
    const triage = { ...BY, incidentId: id, edge: 'I2', reason: 'test' } as const;
    const failing = db.transaction(async (tx) => {
      await incidents.transition(tx, triage);
      throw new Error('the process dies here');
    });
    await assert.rejects(failing, /dies here/);
    assert.deepEqual(counted, []);
    let runs = 0;
    await db.transaction(async (tx) => {
      runs += 1;
      await incidents.transition(tx, triage);
      if (runs === 1) await tx.execute(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
    });
    assert.deepEqual([runs, counted], [2, [['incident_transitions_total', { edge: 'I2', to: 'Triaging' }]]]);
  });

  it('the time in a state is what the events say', async () => {
    verifies('H3-27');
    const id = await open();
    await take(id, 'I2');
    await db.moveClock('7 minutes');
    await take(id, 'I4');
    await db.moveClock('0');
    const [row] = await db.query<{ minutes: number }>(
      `SELECT round(extract(epoch FROM max(at) FILTER (WHERE edge = 'I4') - max(at) FILTER (WHERE edge = 'I2')) / 60)::integer AS minutes
       FROM incident_events WHERE incident_id = $1`,
      [id],
    );
    assert.deepEqual(row, { minutes: 7 });
  });

  it('a message holds no address', async () => {
    const rows = await db.query<{ payload: unknown }>('SELECT payload FROM notification_deliveries LIMIT 5');
    assert.ok(rows.length > 0);
    for (const { payload } of rows) assert.doesNotMatch(JSON.stringify(payload), /https?:/);
  });
});
