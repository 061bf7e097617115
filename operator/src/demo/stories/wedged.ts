import { BACKGROUND_BEHAVIOURS, healthyScript, opening } from './background.ts';
import type { Behaviour, LogLine } from './behaviour.ts';
import { app } from './manifests.ts';
import { ALL_UP, crashLoop, workloadAlerts } from './recurring-parts.ts';
import type { Story } from './story.ts';

const LOCK = 'writer.lock';
const VOLUME = 'state';

/** One of five pods leaves a lock in its emptyDir and finds it again at each restart; a new pod has a new emptyDir. */
export function wedgedWorld(
  workload: string,
  onLock: readonly LogLine[],
): Pick<Story, 'timeline' | 'behaviours' | 'alerts' | 'approvers'> {
  const manifests = app({
    name: workload,
    image: `${workload}:3.8.2`,
    replicas: 5,
    memoryLimit: '128Mi',
    memoryRequest: '32Mi',
    volumes: [{ name: VOLUME, emptyDir: {} }],
    mounts: [{ name: VOLUME, mountPath: '/var/lib/ledger' }],
  });
  const behaviours: readonly Behaviour[] = [
    {
      workload,
      when: { kind: 'marker', volume: VOLUME, marker: LOCK },
      run: { log: onLock, readyAfter: 'never', exit: { after: 2, code: 1, reason: 'Error' } },
    },
    {
      workload,
      when: { kind: 'ordinal', equals: 0 },
      run: {
        ...healthyScript('appended 64 entries'),
        // Late enough that the other four are up first, however busy the machine and fast the time.
        exit: { after: 120, code: 137, reason: 'Error' },
        leaves: [{ volume: VOLUME, marker: LOCK }],
      },
    },
    { workload, when: { kind: 'always' }, run: healthyScript('appended 64 entries') },
  ];
  return {
    approvers: 1,
    timeline: [...opening(manifests), ALL_UP, crashLoop(workload)],
    behaviours: [...behaviours, ...BACKGROUND_BEHAVIOURS],
    alerts: workloadAlerts(workload),
  };
}
