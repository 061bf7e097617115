import type { PodFact } from './facts.ts';
import { projectContainerSpecs, projectContainerStatuses, projectVolumes } from './project-container.ts';
import { projectConditions, projectMeta } from './project-meta.ts';
import { given, instantAt, type Raw, recordAt, textAt } from './raw.ts';

export function projectPod(object: Raw): PodFact {
  const spec = recordAt(object, 'spec');
  const status = recordAt(object, 'status');
  const conditions = projectConditions(object);
  return {
    kind: 'Pod',
    ...projectMeta(object),
    ...given('deletingSince', instantAt(recordAt(object, 'metadata'), 'deletionTimestamp')),
    ...given('nodeName', textAt(spec, 'nodeName')),
    phase: textAt(status, 'phase') ?? 'Unknown',
    ...given('statusReason', textAt(status, 'reason')),
    ...given('statusMessage', textAt(status, 'message')),
    conditions,
    specs: projectContainerSpecs(spec),
    statuses: projectContainerStatuses(status),
    volumes: projectVolumes(spec),
    ready: conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  };
}
