import { app } from '../../../operator/src/demo/stories/manifests.ts';
import { needsMemory } from '../../../operator/src/demo/stories/memory.ts';
import { upstream } from '../../../operator/src/demo/stories/upstream.ts';
import { wrongAddressRollout } from '../../../operator/src/demo/stories/wrong-address.ts';
import { ALL_UP, BROKEN_ROLLOUT, CHECKOUT, crashing, neverGivenUp, patient, waitsForAll } from './broken-rollout.ts';
import type { Plot } from './plot.ts';
import type { Running } from './running.ts';
import {
  A_MOMENT,
  befalls,
  FORBIDDEN,
  heldForAWhile,
  LOST,
  onChange,
  refusedRows,
  scale,
  touch,
  UNWELL,
} from './surroundings.ts';

const RESOLVED = { workload: 'checkout', state: 'Resolved', action: 'Verified' } as const;
const over = (run: Running, workload = 'checkout') => run.incident(workload, ['Resolved', 'Escalated', 'Expired']);

const escalated = (reason: string, action?: string, workload = 'checkout') =>
  ({ workload, state: 'Escalated', reason, ...(action === undefined ? {} : { action }) }) as const;

/** A limit that no raise makes large enough: the repair does not help. */
const HOPELESS = {
  behaviours: needsMemory('thumbnailer', 64 * 1024, 'decoding image batch', 'never'),
  timeline: [
    {
      do: 'apply',
      note: 'thumbnailer is installed',
      manifests: app({ name: 'thumbnailer', image: 'thumbnailer:0.9.7', replicas: 2, memoryLimit: '96Mi' }),
    },
    crashing('thumbnailer'),
  ],
} as const satisfies Partial<Plot>;

async function approveHopeless(run: Running): Promise<void> {
  await run.approve('thumbnailer');
  await over(run, 'thumbnailer');
}

const undoEnds = (action: string) => [escalated('VerificationFailed', action, 'thumbnailer')];

/** What happens to a call, or to its undo. */
export const CALL_PLOTS: readonly Plot[] = [
  {
    name: 'acts-alone',
    mode: 'auto',
    ...BROKEN_ROLLOUT,
    steady: true,
    points: [
      'admit:allowed',
      'act:dry-run-ended',
      'act:execute-started',
      'act:execute-sent',
      'act:executed',
      'verify:checked',
    ],
    play: async (run) => void (await over(run)),
    ends: [RESOLVED],
    writes: 1,
  },
  {
    name: 'answer-lost',
    mode: 'auto',
    ...BROKEN_ROLLOUT,
    steady: true,
    points: ['act:unknown', 'act:read-back'],
    async play(run) {
      befalls(run, onChange(false), 1, LOST);
      await over(run);
    },
    ends: [RESOLVED],
    writes: 1,
  },
  {
    name: 'answer-late',
    mode: 'auto',
    ...BROKEN_ROLLOUT,
    // A rollout that is given up meanwhile would move the target under the call.
    timeline: neverGivenUp(BROKEN_ROLLOUT.timeline),
    actionLease: 3_500,
    points: ['act:answered-late'],
    async play(run) {
      // Longer than the lease of the call, shorter than its patience.
      befalls(run, onChange(false), 1, { kind: 'delay', milliseconds: 7_000 });
      await over(run);
    },
    ends: [RESOLVED],
    writes: 1,
  },
  {
    name: 'call-refused',
    mode: 'auto',
    ...BROKEN_ROLLOUT,
    points: ['act:failed'],
    async play(run) {
      befalls(run, onChange(false), 1, FORBIDDEN);
      await over(run);
    },
    ends: [escalated('ActionFailed', 'Failed')],
    writes: 0,
  },
  {
    name: 'moved-under-call',
    mode: 'auto',
    ...BROKEN_ROLLOUT,
    points: ['act:execute-rejected'],
    async play(run) {
      befalls(run, onChange(false), 1, A_MOMENT, () => touch(run, 'checkout'));
      await over(run);
    },
    ends: [RESOLVED],
    writes: 1,
  },
  {
    name: 'scaled-under-call',
    mode: 'auto',
    ...BROKEN_ROLLOUT,
    points: ['act:dry-run-failed', 'act:refused'],
    async play(run) {
      befalls(run, onChange(true), 1, A_MOMENT, () => scale(run, 'checkout', 3));
      await over(run);
    },
    ends: [escalated('StabilityGate', 'Refused')],
    writes: 0,
  },
  {
    name: 'undone',
    mode: 'approve',
    ...HOPELESS,
    steady: true,
    points: ['act:undo-started', 'act:undo-sent', 'act:undo-applied', 'verify:checked'],
    play: approveHopeless,
    ends: undoEnds('RolledBack'),
    writes: 2,
  },
  {
    name: 'undo-refused',
    mode: 'approve',
    ...HOPELESS,
    points: ['act:undo-rejected'],
    async play(run) {
      befalls(run, onChange(false), 2, FORBIDDEN);
      await approveHopeless(run);
    },
    ends: undoEnds('RollbackFailed'),
    writes: 1,
  },
  {
    name: 'undo-answer-lost',
    mode: 'approve',
    ...HOPELESS,
    points: ['act:undo-unknown', 'act:undo-read-back'],
    async play(run) {
      befalls(run, onChange(false), 2, LOST);
      await approveHopeless(run);
    },
    ends: undoEnds('RolledBack'),
    writes: 2,
  },
  {
    name: 'undo-stopped',
    mode: 'approve',
    ...HOPELESS,
    points: ['switch:set', 'act:undo-ended'],
    async play(run) {
      await run.approve('thumbnailer');
      await run.incident('thumbnailer', ['Verifying', 'Escalated']);
      await run.put('ada', '/api/v1/switches/emergency_stop', { value: 'on', reason: 'enough' });
      await over(run, 'thumbnailer');
    },
    ends: undoEnds('VerificationFailed'),
    writes: 1,
  },
];

/** What becomes of a proposed action before anything is sent. */
export const DECISION_PLOTS: readonly Plot[] = [
  {
    name: 'dry-run-refused',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    points: ['admit:dry-run-failed'],
    async play(run) {
      run.world.cluster.faults.add({ when: onChange(true), fault: FORBIDDEN });
      await over(run);
    },
    ends: [escalated('DryRunFailed', 'DryRunFailed')],
    writes: 0,
  },
  {
    name: 'dry-run-waits',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    points: ['admit:dry-run-closed'],
    async play(run) {
      befalls(run, onChange(true), 1, UNWELL);
      await run.approve('checkout');
      await over(run);
    },
    ends: [RESOLVED],
    writes: 1,
  },
  {
    name: 'only-tried',
    mode: 'dryrun',
    ...BROKEN_ROLLOUT,
    points: ['admit:dry-run-shown'],
    play: async (run) => void (await over(run)),
    ends: [escalated('ObserveOnly', 'DryRunOk')],
    writes: 0,
  },
  {
    name: 'denied',
    mode: 'approve',
    policy: { protectedLabels: { 'app.kubernetes.io/part-of': 'shop' } },
    ...BROKEN_ROLLOUT,
    points: ['admit:denied'],
    play: async (run) => void (await over(run)),
    ends: [escalated('PolicyDeny', 'Denied')],
    writes: 0,
  },
  {
    name: 'unsupported',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    plant: [
      `CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.params = '{}'; RETURN NEW; END $$`,
      'CREATE TRIGGER planted BEFORE INSERT ON actions FOR EACH ROW EXECUTE FUNCTION planted()',
    ],
    points: ['admit:unsupported'],
    play: async (run) => void (await over(run)),
    ends: [escalated('PolicyDeny', 'Unsupported')],
    writes: 0,
  },
  {
    name: 'overtaken',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    plant: heldForAWhile('actions', 12),
    points: ['command:incident-close', 'admit:overtaken'],
    async play(run) {
      await run.until('there is an action', async () => (await run.rows('SELECT 1 FROM actions')).length > 0);
      const { id } = await run.incident('checkout', ['Investigating', 'Resolved']);
      // Somebody repairs it by hand; what still crashed would be a new incident.
      await run.step(wrongAddressRollout(CHECKOUT, CHECKOUT.good));
      await run.step(ALL_UP);
      await run.post('ana', `/api/v1/incidents/${id}/close`, { reason: 'known' });
    },
    ends: [{ workload: 'checkout', state: 'Resolved', action: 'Refused' }],
    writes: 0,
  },
  {
    name: 'overtaken-at-admission',
    mode: 'auto',
    ...BROKEN_ROLLOUT,
    plant: heldForAWhile('actions', 3),
    points: ['admit:allowed-refused'],
    async play(run) {
      await run.until('there is an action', async () => (await run.rows('SELECT 1 FROM actions')).length > 0);
      let asked = false;
      run.world.cluster.faults.add({
        when: (request) => {
          const ours =
            request.resource === 'deployments' && request.verb === 'get' && request.user.endsWith(':hephaisto');
          asked ||= ours;
          return ours;
        },
        fault: { kind: 'delay', milliseconds: 2_500 },
        times: 1,
      });
      const { id } = await run.incident('checkout', ['Investigating', 'Acting', 'Resolved']);
      await run.until('admission asks', () => asked);
      await run.post('ana', `/api/v1/incidents/${id}/close`, { reason: 'known' });
    },
    ends: [{ workload: 'checkout', state: 'Resolved', action: 'Refused' }],
    writes: 0,
  },
  {
    name: 'cooled-down',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    points: ['admit:refused'],
    async play(run) {
      await run.incident('checkout', ['AwaitingApproval']);
      await run.rows(
        `UPDATE workloads SET cooldown_until = app_now() + interval '1 hour' WHERE name = 'checkout' RETURNING 1`,
      );
      await run.approve('checkout');
      await over(run);
    },
    ends: [escalated('AdmissionRefused', 'Refused')],
    writes: 0,
  },
  {
    name: 'expired',
    mode: 'approve',
    policy: { approvalTimeout: '1s' },
    ...BROKEN_ROLLOUT,
    points: ['admit:expired'],
    play: async (run) => void (await over(run)),
    ends: [escalated('ApprovalTimeout', 'ApprovalExpired')],
    writes: 0,
  },
  {
    name: 'scaled-while-open',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    points: ['admit:recheck-closed', 'admit:superseded'],
    async play(run) {
      await run.incident('checkout', 'AwaitingApproval');
      befalls(run, onChange(true), 1, UNWELL);
      scale(run, 'checkout', 3);
      const superseded = `SELECT 1 FROM proposals WHERE state = 'Superseded'`;
      await run.until('a new revision', async () => (await run.rows(superseded)).length > 0);
      await run.approve('checkout');
      await over(run);
    },
    ends: [RESOLVED],
    writes: 1,
  },
  {
    name: 'pushed-while-open',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    points: ['admit:void'],
    async play(run) {
      await run.incident('checkout', 'AwaitingApproval');
      await run.step(wrongAddressRollout(CHECKOUT, 'http://payments:8O81'));
      await over(run);
    },
    ends: [escalated('AdmissionRefused', 'Withdrawn')],
    writes: 0,
  },
  {
    name: 'shown-again',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    points: ['admit:revise-refused', 'admit:revised'],
    async play(run) {
      const { id } = await run.incident('checkout', 'AwaitingApproval');
      const [shown] = await run.rows<{ id: string; digest: string }>('SELECT id, digest FROM proposals');
      await run.post('ana', `/api/v1/proposals/${shown?.id}/deny`, { digest: shown?.digest, reason: 'not now' });
      await run.incident('checkout', 'Escalated');
      befalls(run, onChange(true), 1, FORBIDDEN);
      const open = `SELECT 1 FROM proposals WHERE state = 'Open'`;
      await run.until('a new revision', async () => {
        if ((await run.rows(open)).length > 0) return true;
        await run.post('rui', `/api/v1/proposals/${shown?.id}/revise`, { reason: 'now then' });
        return false;
      });
      await run.approve('checkout', 'ben');
      await run.until('the end', async () => {
        const [row] = await run.rows<{ state: string }>('SELECT state FROM incidents WHERE id = $1', [id]);
        return row?.state === 'Resolved';
      });
    },
    ends: [RESOLVED],
    writes: 1,
  },
];

const GHOST = { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment: 'ghost' };
/** Nobody can tell why something is ill that is not there; what a person was called for stays written down when it is over. */
const UNEXPLAINED = { reason: 'LowConfidence' } as const;

/** Alerts about what is not there: short ways through intake, investigation and the sweep. */
export const ALERT_PLOTS: readonly Plot[] = [
  {
    name: 'quiet',
    mode: 'approve',
    incidents: { quiet: '500ms' },
    points: ['command:incident-reinvestigate', 'sweep:quiet', 'ingest:stored', 'ingest:expanded'],
    steady: true,
    async play(run) {
      await run.alert(GHOST);
      const { id } = await run.incident('ghost', 'Escalated');
      await run.post('ana', `/api/v1/incidents/${id}/reinvestigate`, { reason: 'look again' });
      await run.incident('ghost', 'Escalated');
      await run.alert(GHOST, 'resolved');
      await run.incident('ghost', 'Resolved');
    },
    ends: [{ workload: 'ghost', state: 'Resolved', ...UNEXPLAINED }],
    writes: 0,
  },
  {
    name: 'no-signal',
    mode: 'approve',
    incidents: { expiry: '4s' },
    points: ['sweep:no-signal'],
    async play(run) {
      await run.alert(GHOST);
      await run.incident('ghost', 'Expired');
    },
    ends: [{ workload: 'ghost', state: 'Expired', ...UNEXPLAINED }],
    writes: 0,
  },
  {
    name: 'parent-over',
    mode: 'approve',
    points: ['sweep:parent-over'],
    async play(run) {
      await run.alert(GHOST);
      await run.alert({ ...GHOST, deployment: 'parent' });
      await run.incident('ghost', 'Escalated');
      const { id } = await run.incident('parent', 'Escalated');
      await run.rows(`UPDATE incidents SET absorbed_by = $1 WHERE owner_name = 'ghost' RETURNING 1`, [id]);
      await run.post('ana', `/api/v1/incidents/${id}/close`, { reason: 'known' });
      await run.incident('ghost', 'Resolved');
    },
    ends: [
      { workload: 'ghost', state: 'Resolved', ...UNEXPLAINED },
      { workload: 'parent', state: 'Resolved', ...UNEXPLAINED },
    ],
    writes: 0,
  },
  {
    name: 'poison',
    mode: 'approve',
    plant: refusedRows('signals', `NEW.labels ->> 'alertname' = 'Poison'`),
    points: ['ingest:poisoned'],
    async play(run) {
      await run.alert({ ...GHOST, alertname: 'Poison' });
      await run.until(
        'it is put aside',
        async () => (await run.rows(`SELECT 1 FROM intake WHERE status = 'Poison'`)).length > 0,
      );
    },
    ends: [],
    writes: 0,
    poison: 1,
  },
  {
    name: 'signal-set-aside',
    mode: 'approve',
    plant: refusedRows('incidents', `NEW.owner_name = 'ghost'`),
    points: ['dedupe:set-aside'],
    async play(run) {
      await run.alert(GHOST);
      await run.until(
        'it is set aside',
        async () => (await run.rows(`SELECT 1 FROM signals WHERE disposition = 'poison'`)).length > 0,
      );
    },
    ends: [],
    writes: 0,
  },
  {
    name: 'investigator-fails',
    mode: 'approve',
    plant: refusedRows('steps', '(SELECT attempt FROM investigations WHERE id = NEW.investigation_id) = 1'),
    points: ['investigate:failed'],
    async play(run) {
      await run.alert(GHOST);
      await run.incident('ghost', 'Escalated');
    },
    ends: [{ workload: 'ghost', state: 'Escalated', ...UNEXPLAINED }],
    writes: 0,
  },
  {
    name: 'orphan',
    mode: 'approve',
    plant: heldForAWhile('investigations', 4),
    points: ['investigate:orphans-stopped'],
    async play(run) {
      await run.alert(GHOST);
      await run.until('it is queued', async () => (await run.rows('SELECT 1 FROM investigations')).length > 0);
      const { id } = await run.incident('ghost', ['Triaging', 'Investigating', 'Resolved']);
      await run.post('ana', `/api/v1/incidents/${id}/close`, { reason: 'known' });
      await run.incident('ghost', 'Resolved');
    },
    ends: [{ workload: 'ghost', state: 'Resolved' }],
    writes: 0,
  },
  {
    name: 'cause-found-later',
    mode: 'approve',
    // The cause's own incident waits until its callers have gone to a person.
    plant: refusedRows(
      'incidents',
      `NEW.owner_name = 'orders-db' AND NOT EXISTS (SELECT 1 FROM incidents WHERE state = 'Escalated' AND owner_name = 'orders-api')`,
      'unique_violation',
    ),
    behaviours: upstream.behaviours,
    // The database lives for less than a second here, which a busy machine needs to see that all is up.
    timeline: upstream.timeline.filter((step) => !waitsForAll(step)).map(patient),
    points: ['plan:linked'],
    async play(run) {
      await run.incident('orders-db', 'Escalated');
      for (const caller of ['orders-api', 'orders-worker', 'orders-export']) await run.incident(caller, 'Escalated');
      const linked = 'SELECT 1 FROM incidents WHERE caused_by IS NOT NULL';
      await run.until('the callers are linked', async () => (await run.rows(linked)).length === 3);
    },
    ends: [escalated('NoPlanProduced', undefined, 'orders-db'), escalated('UpstreamCause', undefined, 'orders-api')],
    writes: 0,
  },
];
