import { wrongAddressRollout } from '../../../operator/src/demo/stories/wrong-address.ts';
import { ALL_UP, BROKEN_ROLLOUT, CHECKOUT } from './broken-rollout.ts';
import type { Plot } from './plot.ts';
import { escalated, over, RESOLVED } from './plot-ends.ts';
import { befalls, FORBIDDEN, heldForAWhile, onChange, scale, UNWELL } from './surroundings.ts';

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
    points: ['admit:recheck-closed', 'admit:revalidated', 'admit:superseded'],
    async play(run) {
      await run.incident('checkout', 'AwaitingApproval');
      befalls(run, onChange(true), 1, UNWELL);
      scale(run, 'checkout', 3);
      const superseded = `SELECT 1 FROM proposals WHERE state = 'Superseded'`;
      await run.until('a new revision', async () => (await run.rows(superseded)).length > 0);
      // A vote that comes before it is compared would skip the point after the comparison.
      const compared = `SELECT 1 FROM proposals WHERE state = 'Open' AND revalidated_sha256 IS NOT NULL`;
      await run.until('the new revision is compared', async () => (await run.rows(compared)).length > 0);
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
