import { upstream } from '../../../operator/src/demo/stories/upstream.ts';
import { patient, waitsForAll } from './broken-rollout.ts';
import type { Plot } from './plot.ts';
import { escalated } from './plot-ends.ts';
import { heldForAWhile, refusedRows } from './surroundings.ts';

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
    name: 'large-body',
    mode: 'approve',
    points: ['ingest:part-recorded'],
    async play(run) {
      const alerts = Array.from({ length: 700 }, (_, i) => ({
        ...GHOST,
        alertname: 'Informational',
        severity: 'info',
        n: `${i}`,
      }));
      await run.until('the body is taken', () => run.tell(alerts));
      await run.until(
        'all of it is settled',
        async () =>
          (await run.rows(`SELECT 1 FROM signals WHERE disposition = 'benign' HAVING count(*) = ${alerts.length}`))
            .length > 0,
      );
    },
    ends: [],
    writes: 0,
  },
  {
    name: 'no-signal',
    mode: 'approve',
    incidents: { quiet: '4s', expiry: '4s' },
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
    name: 'investigated-again',
    mode: 'approve',
    points: ['investigate:reopened'],
    async play(run) {
      await run.alert(GHOST);
      await run.incident('ghost', 'Escalated');
      await run.alert({ ...GHOST, alertname: 'KubeDeploymentReplicasMismatch' });
      const ended = `SELECT 1 FROM investigations WHERE ended_at IS NOT NULL AND state <> 'Faulted'`;
      await run.until('it is investigated again', async () => (await run.rows(ended)).length >= 2);
      await run.incident('ghost', 'Escalated');
    },
    ends: [{ workload: 'ghost', state: 'Escalated', ...UNEXPLAINED }],
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
