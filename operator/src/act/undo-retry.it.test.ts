import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { drain } from '@hephaisto/test/stage-deps';
import { actionsOf } from '../flow/9-report/actions.ts';
import { readStoredHealth } from '../flow/9-report/health.ts';
import { neverHeals, run, untilChecksAreDue, worlds } from './testing/fresh-world.ts';
import { PATCH, type World } from './testing/world.ts';

const BUSY: KubeFailure = { kind: 'failure', reason: 'too-many-requests', status: 429, message: 'too many requests' };
const REFUSED: KubeFailure = { kind: 'failure', reason: 'unsent', message: 'connection refused' };
const PATIENT = { settings: { undoPatienceMs: 900_000, retryPausesMs: { first: 0, longest: 0 } } };

/** Executes a change that does not help, and refuses the first calls of its undo. */
function refuseUndo(w: World, times: number, failure: KubeFailure): void {
  neverHeals(w.cluster);
  let refused = 0;
  w.cluster.interfere = ({ dryRun }) => {
    if (dryRun || w.cluster.real.length === 1 || refused >= times) return undefined;
    refused += 1;
    return { instead: failure };
  };
}

async function untilUndo(w: World): Promise<void> {
  const { admit, act, verify } = w.stages();
  await drain(admit, act);
  await untilChecksAreDue();
  await drain(verify);
}

describe('an undo that is refused for a moment', () => {
  const suite = worlds();

  for (const [name, failure] of [
    ['a server that is overloaded', BUSY],
    ['a connection that is refused', REFUSED],
  ] as const)
    it(`${name} does not leave a harmful change in place`, async () => {
      const w = await suite.world(PATIENT);
      const before = structuredClone(w.cluster.spec());
      refuseUndo(w, 5, failure);
      const { incidentId, actionId } = await w.propose(PATCH);
      await run(w);
      for (let pass = 0; pass < 6; pass += 1) await w.stages().act.pass(new AbortController().signal);
      await run(w);
      assert.equal((await w.action(actionId)).state, 'RolledBack');
      assert.deepEqual(w.cluster.spec(), before);
      assert.equal(w.cluster.real.length, 7);
      const notes = await suite.db.query(
        `SELECT 1 FROM incident_events WHERE incident_id = $1 AND reason = 'undo_retried'`,
        [incidentId],
      );
      assert.equal(notes.length, 1);
    });

  it('the retry is in the report and in the health figures until the undo is done', async () => {
    const w = await suite.world(PATIENT);
    refuseUndo(w, 1, BUSY);
    const { incidentId } = await w.propose(PATCH);
    await untilUndo(w);
    const { act } = w.stages();
    await act.pass(new AbortController().signal);
    const [waiting] = await actionsOf(suite.db, incidentId);
    assert.deepEqual(
      [waiting?.state, waiting?.undoRetry?.retries, waiting?.undoRetry?.reason, waiting?.undoRetry?.message],
      ['RollingBack', 1, 'too-many-requests', 'too many requests'],
    );
    assert.equal((await readStoredHealth(suite.db)).undosRetrying, 1);
    await act.pass(new AbortController().signal);
    const [done] = await actionsOf(suite.db, incidentId);
    assert.equal(done?.undoRetry, null);
    assert.equal((await readStoredHealth(suite.db)).undosRetrying, 0);
    await run(w);
  });

  it('a target that cannot be read, or keeps moving, is waited for too', async () => {
    const w = await suite.world(PATIENT);
    refuseUndo(w, 0, BUSY);
    const { actionId } = await w.propose(PATCH);
    await untilUndo(w);
    w.cluster.readFailure = { kind: 'failure', reason: 'server-error', status: 503, message: 'not now' };
    await w.stages().act.pass(new AbortController().signal);
    assert.equal((await w.action(actionId)).state, 'VerificationFailed');
    w.cluster.readFailure = undefined;
    let bumps = 0;
    w.cluster.interfere = ({ dryRun }) => {
      if (!dryRun && bumps < 4) {
        bumps += 1;
        w.cluster.edit('deployments', 'checkout', (object) => {
          (object.metadata as Record<string, unknown>).labels = { bump: String(bumps) };
        });
      }
      return undefined;
    };
    await w.stages().act.pass(new AbortController().signal);
    assert.equal((await w.action(actionId)).state, 'RollingBack');
    await run(w);
    assert.equal((await w.action(actionId)).state, 'RolledBack');
  });

  for (const [name, failure] of [
    ['a server that answers 503', { kind: 'failure', reason: 'server-error', status: 503, message: 'unavailable' }],
    ['a webhook that does not answer', { kind: 'failure', reason: 'timeout', message: 'no answer' }],
  ] as const)
    it(`${name} does not leave a harmful change in place, once the target shows that nothing was applied`, async () => {
      const w = await suite.world(PATIENT);
      const before = structuredClone(w.cluster.spec());
      refuseUndo(w, 3, failure);
      const { actionId } = await w.propose(PATCH);
      await run(w);
      for (let pass = 0; pass < 4; pass += 1) await w.stages().act.pass(new AbortController().signal);
      await run(w);
      assert.equal((await w.action(actionId)).state, 'RolledBack');
      assert.deepEqual([w.cluster.spec(), w.cluster.real.length], [before, 5]);
    });

  it('an undo that arrives after it was read back is not taken for a change by somebody else', async () => {
    const w = await suite.world({
      settings: { undoPatienceMs: 900_000, retryPausesMs: { first: 50, longest: 50 } },
    });
    const before = structuredClone(w.cluster.spec());
    refuseUndo(w, 1, { kind: 'failure', reason: 'timeout', message: 'no answer' });
    const { incidentId, actionId } = await w.propose(PATCH);
    await untilUndo(w);
    await w.stages().act.pass(new AbortController().signal);
    assert.equal((await w.action(actionId)).state, 'RollingBack');
    const late = w.cluster.real.at(-1)?.write;
    assert.ok(late !== undefined);
    w.cluster.interfere = () => undefined;
    assert.equal((await w.cluster.send(late, { dryRun: false })).kind, 'ok');
    await new Promise((resolve) => setTimeout(resolve, 60));
    await run(w);
    assert.equal((await w.action(actionId)).state, 'RolledBack');
    assert.deepEqual([w.cluster.spec(), w.cluster.real.length], [before, 3]);
    const notes = await suite.db.query(
      `SELECT 1 FROM incident_events WHERE incident_id = $1 AND reason = 'applied_late'`,
      [incidentId],
    );
    assert.equal(notes.length, 1);
  });

  it('a control plane that answers no read for longer than an act would wait is waited for', async () => {
    const w = await suite.world(PATIENT);
    refuseUndo(w, 1, { kind: 'failure', reason: 'cut', message: 'the connection was cut' });
    const { actionId } = await w.propose(PATCH);
    await untilUndo(w);
    const { interfere } = w.cluster;
    w.cluster.interfere = (sent) => {
      w.cluster.readFailure = { kind: 'failure', reason: 'unsent', message: 'connection refused' };
      return interfere(sent);
    };
    for (let pass = 0; pass < 2; pass += 1) await w.stages().act.pass(new AbortController().signal);
    assert.equal((await w.action(actionId)).state, 'RollbackUnknown');
    w.cluster.interfere = interfere;
    w.cluster.readFailure = undefined;
    for (let pass = 0; pass < 3; pass += 1) await w.stages().act.pass(new AbortController().signal);
    await run(w);
    assert.equal((await w.action(actionId)).state, 'RolledBack');
  });

  it('a person is asked once the patience is over', async () => {
    const w = await suite.world({ settings: { undoPatienceMs: 0, retryPausesMs: { first: 0, longest: 0 } } });
    refuseUndo(w, 99, BUSY);
    const { incidentId } = await w.propose(PATCH);
    await run(w);
    assert.deepEqual(
      [(await w.incident(incidentId)).rollback_sub_reason, w.cluster.real.length],
      ['RollbackFailed', 2],
    );
  });

  it('the next try waits for its pause', async () => {
    const w = await suite.world({
      settings: { undoPatienceMs: 900_000, retryPausesMs: { first: 60_000, longest: 60_000 } },
    });
    refuseUndo(w, 1, BUSY);
    await w.propose(PATCH);
    await untilUndo(w);
    for (let pass = 0; pass < 3; pass += 1) await w.stages().act.pass(new AbortController().signal);
    assert.equal(w.cluster.real.length, 2);
  });
});
