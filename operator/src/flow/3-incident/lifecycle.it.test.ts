import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metaFingerprint } from '@hephaisto/core/signal/fingerprint';
import { ackIncident } from '@hephaisto/operator/commands/incident-ack';
import { assignIncident } from '@hephaisto/operator/commands/incident-assign';
import { closeIncident } from '@hephaisto/operator/commands/incident-close';
import { noteIncident } from '@hephaisto/operator/commands/incident-note';
import { reinvestigateIncident } from '@hephaisto/operator/commands/incident-reinvestigate';
import { sha256Hex } from '@hephaisto/operator/sources/sha256';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { type IntakeLine, intakeLine, type LineOptions } from '@hephaisto/test/intake-line';
import { addLocalCluster, type QuietDeps, quietDeps, TEST_CLUSTER } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly resolution_source: string | null;
  readonly suppressed_reason: string | null;
  readonly escalation_reason: string | null;
  readonly is_meta: boolean;
  readonly absorbed_by: string | null;
  readonly recurrence_of: string | null;
  readonly kind: string;
  readonly owner_name: string | null;
}

interface World {
  readonly db: TestDatabase;
  readonly deps: QuietDeps;
  readonly line: IntakeLine;
  incidents(): Promise<readonly Row[]>;
}

async function world(use: (world: World) => Promise<void>, options: LineOptions = {}): Promise<void> {
  await using db = await createTestDatabase();
  await addLocalCluster(db);
  const deps = quietDeps(db);
  await use({
    db,
    deps,
    line: intakeLine(deps, options),
    incidents: () => db.query<Row>('SELECT * FROM incidents ORDER BY number'),
  });
}

const AT = (minute: number): string => new Date(Date.UTC(2026, 10, 30, 9, minute)).toISOString();

/** The alert of one Deployment; `start` tells one occurrence from another. */
function crash(deployment: string, start = 0, over: Readonly<Record<string, unknown>> = {}) {
  const labels = { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment, severity: 'warning' };
  return alert({ labels, startsAt: AT(start), ...over });
}

const ended = { status: 'resolved' } as const;

describe('the life of an incident', { timeout: 120_000 }, () => {
  it('is resolved ten minutes after its last signal ended, and not a second earlier', async () => {
    verifies('H3-25');
    await world(async ({ db, line, incidents }) => {
      await line.settle(webhookBody([crash('web')]));
      await line.settle(webhookBody([crash('web', 0, ended)]));
      await db.moveClock('9 minutes 59 seconds');
      await line.settle();
      assert.equal((await incidents())[0]?.state, 'Investigating');
      await db.moveClock('10 minutes 2 seconds');
      await line.settle();
      const [incident] = await incidents();
      assert.deepEqual([incident?.state, incident?.resolution_source], ['Resolved', 'quiet']);
    });
  });

  it('is not quiet while one of its signals still fires', async () => {
    await world(async ({ db, line, incidents }) => {
      const other = alert({ labels: { alertname: 'KubePodNotReady', namespace: 'shop', deployment: 'web' } });
      await line.settle(webhookBody([crash('web'), other]));
      await line.settle(webhookBody([crash('web', 0, ended)]));
      await db.moveClock('1 hour');
      await line.settle();
      assert.equal((await incidents())[0]?.state, 'Investigating');
    });
  });

  it('expires after a day without a signal, counted from the last one', async () => {
    verifies('H3-24');
    await world(async ({ db, line, incidents }) => {
      await line.settle(webhookBody([crash('web')]));
      await db.moveClock('23 hours 59 minutes');
      await line.settle(webhookBody([crash('web')]));
      await db.moveClock('47 hours 58 minutes');
      await line.settle();
      assert.equal((await incidents())[0]?.state, 'Investigating');
      await db.moveClock('48 hours');
      await line.settle();
      assert.equal((await incidents())[0]?.state, 'Expired');
    });
  });

  it('neither quiet nor time ends it while an action is under way', async () => {
    verifies('H3-24', 'H3-25');
    await world(async ({ db, deps, line, incidents }) => {
      await line.settle(webhookBody([crash('web')]));
      const id = (await incidents())[0]?.id ?? '';
      const by = { incidentId: id, reason: 'test', actor: 'service:hephaisto/actor', origin: 'core' } as const;
      await db.transaction((tx) => deps.incidents.transition(tx, { ...by, edge: 'I8' }));
      await line.settle(webhookBody([crash('web', 0, ended)]));
      await db.moveClock('30 hours');
      await line.settle();
      assert.equal((await incidents())[0]?.state, 'Acting');
    });
  });

  it('a fault that comes back later is a new incident that points at the old one', async () => {
    await world(async ({ db, line, incidents }) => {
      await line.settle(webhookBody([crash('web')]));
      await line.settle(webhookBody([crash('web', 0, ended)]));
      await db.moveClock('11 minutes');
      await line.settle();
      await line.settle(webhookBody([crash('web', 20)]));
      const [first, second] = await incidents();
      assert.equal(second?.recurrence_of, first?.id);
    });
  });

  it('signals within five minutes belong to one burst, also when a person has closed it; later ones are looked at anew', async () => {
    verifies('H3-33');
    await world(async ({ db, deps, line, incidents }) => {
      await line.settle(webhookBody([crash('web', 0)]));
      await db.moveClock('1 minute');
      await line.settle(webhookBody([crash('web', 1)]));
      const by = { actor: 'service:hephaisto/sweeper', origin: 'api' } as const;
      await closeIncident(deps, { ...by, incidentId: (await incidents())[0]?.id ?? '', reason: 'known' });
      await db.moveClock('4 minutes 55 seconds');
      await line.settle(webhookBody([crash('web', 4)]));
      assert.equal((await incidents()).length, 1);
      await db.moveClock('5 minutes 5 seconds');
      await line.settle(webhookBody([crash('web', 5)]));
      assert.equal((await incidents()).length, 2);
    });
  });

  it('the fourth incident of a fault within an hour is held back, one incident says so, and four hours later it is looked at again', async () => {
    verifies('H3-34', 'H3-20');
    await world(async ({ db, line, incidents }) => {
      const rounds = async (from: number, to: number): Promise<void> => {
        for (let round = from; round <= to; round += 1) {
          await db.moveClock(`${round * 12} minutes`);
          await line.settle(webhookBody([crash('web', round)]));
          await line.settle(webhookBody([crash('web', round, ended)]));
          await db.moveClock(`${round * 12 + 11} minutes`);
          await line.settle();
        }
      };
      await rounds(0, 3);
      const held = (await incidents()).filter((row) => !row.is_meta);
      assert.deepEqual(
        held.map((row) => row.suppressed_reason ?? row.state),
        ['Resolved', 'Resolved', 'Resolved', 'Flapping'],
      );
      for (let i = 0; i < 10; i += 1) await line.settle(webhookBody([crash('web', 40 + i)]));
      const metas = (await incidents()).filter((row) => row.is_meta);
      assert.deepEqual(
        metas.map((row) => [row.state, row.escalation_reason]),
        [['Escalated', 'FlapMeta']],
      );
      assert.equal((await incidents()).length, 5);
      await db.moveClock('281 minutes');
      await line.settle(webhookBody([crash('web', 59)]));
      assert.equal((await incidents()).at(-1)?.state, 'Investigating');
    });
  });

  it('more than twenty faults within five minutes are one storm, which ends by itself and forgets none of them', async () => {
    verifies('H3-36');
    await world(async ({ db, line, incidents }) => {
      const many = Array.from({ length: 60 }, (_, i) => crash(`web-${i}`));
      await line.settle(webhookBody(many));
      const all = await incidents();
      const storms = all.filter((row) => row.is_meta);
      assert.deepEqual(
        storms.map((row) => [row.state, row.escalation_reason]),
        [['Escalated', 'Storm']],
      );
      assert.equal(all.filter((row) => row.state === 'Investigating').length, 20);
      const kept = await db.query<{ n: number }>(
        `SELECT count(*)::integer AS n FROM signals WHERE disposition = 'storm' AND incident_id = $1`,
        [storms[0]?.id],
      );
      assert.deepEqual(kept, [{ n: 40 }]);
      for (const minutes of [11, 22, 33]) {
        await db.moveClock(`${minutes} minutes`);
        await line.settle();
      }
      assert.equal((await incidents()).filter((row) => !row.is_meta).length, 60);
    });
  });

  it('critical faults have a reserve of their own in a storm', async () => {
    await world(async ({ line, incidents }) => {
      await line.settle(webhookBody(Array.from({ length: 30 }, (_, i) => crash(`web-${i}`))));
      const labels = { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment: 'till', severity: 'critical' };
      await line.settle(webhookBody([alert({ labels })]));
      assert.equal((await incidents()).at(-1)?.state, 'Investigating');
    });
  });

  it('a failing node takes the incidents of its pods under it, and they end with it', async () => {
    verifies('H3-35');
    await world(async ({ db, deps, line, incidents }) => {
      const onNode = (deployment: string, node: string, start = 0) =>
        alert({ labels: { alertname: 'KubePodNotReady', namespace: 'shop', deployment, node }, startsAt: AT(start) });
      await line.settle(webhookBody([onNode('before', 'n1'), onNode('elsewhere', 'n2')]));
      await line.settle(webhookBody([alert({ labels: { alertname: 'KubeNodeNotReady', node: 'n1' } })]));
      await line.settle(webhookBody([onNode('after', 'n1')]));
      const known = await incidents();
      const of = (owner: string | null) => known.find(({ owner_name: name }) => name === owner);
      const [first, elsewhere, node] = [
        of('before'),
        of('elsewhere'),
        known.find(({ kind }) => kind === 'NodePressure'),
      ];
      assert.equal(known.length, 3);
      assert.equal(first?.absorbed_by, node?.id);
      assert.equal(elsewhere?.absorbed_by, null);
      const [absorbed] = await db.query<{ disposition: string; incident_id: string }>(
        `SELECT disposition, incident_id FROM signals WHERE owner_name = 'after'`,
      );
      assert.deepEqual(absorbed, { disposition: 'absorbed', incident_id: node?.id });
      const by = { actor: 'service:hephaisto/sweeper', origin: 'api' } as const;
      await closeIncident(deps, { ...by, incidentId: node?.id ?? '', reason: 'replaced' });
      await line.settle();
      const again = (await incidents()).find(({ id }) => id === first?.id);
      assert.deepEqual([again?.state, again?.resolution_source], ['Resolved', 'parent']);
    });
  });

  const OVERLAPS: Readonly<Record<string, { namespace: string; minutes: number; incidents: number }>> = {
    'the same namespace and overlapping owners, nine minutes apart: one': {
      namespace: 'shop',
      minutes: 9,
      incidents: 1,
    },
    'eleven minutes apart: two': { namespace: 'shop', minutes: 11, incidents: 2 },
    'another namespace: two': { namespace: 'other', minutes: 1, incidents: 2 },
  };
  for (const [name, { namespace, minutes, incidents: expected }] of Object.entries(OVERLAPS)) {
    it(`overlapping owners: ${name}`, async () => {
      verifies('H3-35');
      await world(async ({ db, line, incidents }) => {
        await line.settle(webhookBody([crash('web')]));
        await db.moveClock(`${minutes} minutes`);
        const labels = { alertname: 'HttpErrors', hephaisto_kind: 'HighErrorRate', namespace, deployment: 'web' };
        await line.settle(webhookBody([alert({ labels })]));
        assert.equal((await incidents()).length, expected);
      });
    });
  }

  it('a maintenance window suppresses, and says so', async () => {
    verifies('H3-20');
    const window = { name: 'upgrade', namespaces: ['shop'], from: new Date('2020-01-01'), to: new Date('2100-01-01') };
    await world(
      async ({ line, incidents }) => {
        await line.settle(webhookBody([crash('web')]));
        assert.equal((await incidents())[0]?.suppressed_reason, 'Maintenance');
      },
      { times: { maintenance: [window] } },
    );
  });

  it('of two open incidents of one owner and family the younger is a duplicate and hands its signals over', async () => {
    verifies('H3-20');
    await world(async ({ db, deps, line, incidents }) => {
      await line.settle(webhookBody([crash('web')]));
      const [first] = await incidents();
      const [row] = await db.query<{ correlation_key: string }>('SELECT correlation_key FROM incidents');
      await db.transaction((tx) =>
        deps.incidents.open(tx, {
          id: deps.ids.uuid(),
          cluster: TEST_CLUSTER,
          fingerprint: metaFingerprint('flap', 'raced', sha256Hex),
          correlationKey: row?.correlation_key,
          kind: 'ReplicaMismatch',
          title: 'raced',
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
          actor: 'service:hephaisto/ingest',
          origin: 'core',
        }),
      );
      await line.settle();
      const [, second] = await incidents();
      assert.deepEqual([second?.suppressed_reason, second?.absorbed_by], ['Duplicate', first?.id]);
    });
  });
});

describe('what people do to an incident', { timeout: 60_000 }, () => {
  const PERSON = 'person:ana';
  async function opened(use: (world: World & { readonly id: string }) => Promise<void>): Promise<void> {
    await world(async (given) => {
      await given.db.execute(`INSERT INTO principals (subject, kind, display_name) VALUES ($1, 'person', 'Ana')`, [
        PERSON,
      ]);
      await given.line.settle(webhookBody([crash('web')]));
      const id = (await given.incidents())[0]?.id ?? '';
      await use({ ...given, id });
    });
  }
  const by = { actor: PERSON, origin: 'api' } as const;

  it('closes it with a reason, once, with a record', async () => {
    verifies('H3-25');
    await opened(async ({ db, deps, id, incidents }) => {
      assert.equal((await closeIncident(deps, { ...by, incidentId: id, reason: ' ' })).kind, 'refused');
      assert.equal((await closeIncident(deps, { ...by, incidentId: id, reason: 'fixed by hand' })).kind, 'done');
      assert.equal((await incidents())[0]?.resolution_source, 'human');
      const again = await closeIncident(deps, { ...by, incidentId: id, reason: 'twice' });
      assert.equal(again.kind === 'refused' && again.reason, 'already-closed');
      const audit = await db.query('SELECT actor, verb FROM audit_log');
      assert.deepEqual(audit, [{ actor: PERSON, verb: 'incident.close' }]);
    });
  });

  it('acknowledges it first come first served, assigns it to a person, leaves a note', async () => {
    await opened(async ({ deps, id }) => {
      assert.equal((await ackIncident(deps, { ...by, incidentId: id })).kind, 'done');
      const second = await ackIncident(deps, { ...by, incidentId: id });
      assert.deepEqual(second.kind === 'refused' && [second.reason, second.details?.by], [
        'already-acknowledged',
        PERSON,
      ]);
      assert.equal((await assignIncident(deps, { ...by, incidentId: id, assignee: PERSON })).kind, 'done');
      const stranger = await assignIncident(deps, { ...by, incidentId: id, assignee: 'person:nobody' });
      assert.equal(stranger.kind === 'refused' && stranger.reason, 'assignee-unknown');
      const noted = await noteIncident(deps, { ...by, incidentId: id, text: 'looked at\u0000 it' });
      assert.deepEqual(noted.kind === 'done' && noted.version, 6);
      const nothing = await noteIncident(deps, { ...by, incidentId: deps.ids.uuid(), text: 'x' });
      assert.equal(nothing.kind === 'refused' && nothing.reason, 'incident-not-found');
    });
  });

  it('asks for another look only at what is in their hands', async () => {
    await opened(async ({ db, deps, id, incidents }) => {
      const asking = { ...deps, readAgain: () => Promise.resolve(undefined) };
      const early = await reinvestigateIncident(asking, { ...by, incidentId: id });
      assert.equal(early.kind === 'refused' && early.reason, 'not-escalated');
      const escalate = { incidentId: id, edge: 'I6', reason: 'test', escalationReason: 'LowConfidence' } as const;
      await db.transaction((tx) => deps.incidents.transition(tx, { ...by, ...escalate }));
      assert.equal((await reinvestigateIncident(asking, { ...by, incidentId: id })).kind, 'done');
      const [row] = await incidents();
      assert.deepEqual([row?.state, row?.escalation_reason], ['Investigating', null]);
    });
  });
});
