import type { JobFact } from './facts.ts';
import { projectContainerSpecs } from './project-container.ts';
import { projectConditions, projectMeta } from './project-meta.ts';
import { numberAt, type Raw, recordAt } from './raw.ts';

/** The API's own default. */
const DEFAULT_BACKOFF_LIMIT = 6;

export function projectJob(object: Raw): JobFact {
  const { namespace, name, uid, resourceVersion, owners, createdAt, labels } = projectMeta(object);
  const spec = recordAt(object, 'spec');
  const status = recordAt(object, 'status');
  return {
    kind: 'Job',
    namespace,
    name,
    uid,
    resourceVersion,
    owners,
    createdAt,
    labels,
    active: numberAt(status, 'active') ?? 0,
    succeeded: numberAt(status, 'succeeded') ?? 0,
    failed: numberAt(status, 'failed') ?? 0,
    backoffLimit: numberAt(spec, 'backoffLimit') ?? DEFAULT_BACKOFF_LIMIT,
    conditions: projectConditions(object),
    specs: projectContainerSpecs(recordAt(spec, 'template', 'spec')),
  };
}
