import { app } from '../../../operator/src/demo/stories/manifests.ts';
import { needsMemory } from '../../../operator/src/demo/stories/memory.ts';
import { BROKEN_ROLLOUT, crashing, neverGivenUp } from './broken-rollout.ts';
import type { Plot } from './plot.ts';
import { escalated, over, RESOLVED } from './plot-ends.ts';
import type { Running } from './running.ts';
import {
  A_MOMENT,
  BUSY,
  befalls,
  FORBIDDEN,
  LOST,
  onChange,
  refusedRows,
  scale,
  touch,
  unknownParameter,
} from './surroundings.ts';

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
    name: 'undo-retried',
    mode: 'approve',
    ...HOPELESS,
    points: ['act:undo-postponed'],
    async play(run) {
      befalls(run, onChange(false), 2, BUSY);
      await approveHopeless(run);
    },
    ends: undoEnds('RolledBack'),
    writes: 2,
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
  {
    name: 'action-keeps-failing',
    mode: 'auto',
    ...BROKEN_ROLLOUT,
    plant: refusedRows('action_attempts', `NEW.phase = 'execute'`),
    points: ['act:failure-counted', 'act:dead-letter'],
    play: async (run) => void (await over(run)),
    ends: [escalated('ActionFailed', 'Refused')],
    writes: 0,
  },
  {
    name: 'action-no-longer-known',
    mode: 'approve',
    ...BROKEN_ROLLOUT,
    plant: unknownParameter('Approved'),
    points: ['act:unsupported'],
    async play(run) {
      await run.approve('checkout');
      await over(run);
    },
    ends: [escalated('AdmissionRefused', 'Refused')],
    writes: 0,
  },
];
