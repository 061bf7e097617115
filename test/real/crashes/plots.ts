import { ALERT_PLOTS } from './alert-plots.ts';
import { BROKEN_ROLLOUT } from './broken-rollout.ts';
import { CALL_PLOTS } from './call-plots.ts';
import { DECISION_PLOTS } from './decision-plots.ts';
import type { Plot } from './plot.ts';

const TO_A_FINDING = [
  'boot:seeded',
  'boot:cluster-registered',
  'watch:recorded',
  'watch:health-counted',
  'watch:sampled',
  'dedupe:settled',
  'incident:triaged',
  'investigate:queued',
  'investigate:begun',
  'investigate:step-opened',
  'investigate:step-closed',
  'investigate:concluded',
  'plan:committed',
  'sweep:storms',
  'sweep:pruned-signals',
  'sweep:pruned-intake',
  'sweep:pruned-samples',
  'notify:reaped',
  'notify:claimed',
] as const;

/** From the fault to the approved, verified repair, with everything that people do beside it. */
const heals: Plot = {
  name: 'heals',
  mode: 'approve',
  steady: true,
  ...BROKEN_ROLLOUT,
  points: [
    ...TO_A_FINDING,
    'ingest:stored',
    'ingest:cluster-named',
    'ingest:expanded',
    'admit:quarantine-asked',
    'admit:dry-run-started',
    'admit:dry-run-sent',
    'admit:proposed',
    'admit:voted',
    'admit:admitted',
    'act:dry-run-started',
    'act:dry-run-sent',
    'act:dry-run-ended',
    'act:execute-started',
    'act:execute-sent',
    'act:executed',
    'act:event-sent',
    'act:event-mirrored',
    'verify:checked',
    'notify:sent',
    'notify:settled',
    'command:incident-ack',
    'command:incident-note',
    'command:incident-assign',
  ],
  async play(run) {
    const { id } = await run.incident('checkout', 'AwaitingApproval');
    await run.alert({ alertname: 'KubePodCrashLooping', namespace: run.namespace, deployment: 'checkout' });
    await run.alert({
      alertname: 'TargetDown',
      namespace: 'far',
      deployment: 'away',
      cluster: 'elsewhere',
      severity: 'info',
    });
    await run.post('ana', `/api/v1/incidents/${id}/ack`, {});
    await run.post('ana', `/api/v1/incidents/${id}/note`, { text: 'on it' });
    await run.until('it is assigned', async () => {
      const [row] = await run.rows<{ version: number; assigned_to: string | null }>(
        'SELECT version, assigned_to FROM incidents WHERE id = $1',
        [id],
      );
      if (row?.assigned_to != null) return true;
      await run.post('ana', `/api/v1/incidents/${id}/assign`, { assignee: 'ana' }, { 'if-match': `"${row?.version}"` });
      return false;
    });
    await run.approve('checkout');
    await run.incident('checkout', ['Resolved', 'Escalated']);
  },
  ends: [{ workload: 'checkout', state: 'Resolved', action: 'Verified' }],
  writes: 1,
};

export const PLOTS: readonly Plot[] = [heals, ...CALL_PLOTS, ...DECISION_PLOTS, ...ALERT_PLOTS];
