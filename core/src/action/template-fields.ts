import { numberAt, type RawObject, recordAt, textAt, valueAt } from './raw-object.ts';

const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';

/** Number that the Deployment controller gives to the template in force. */
export function currentRevision(workload: RawObject): number | undefined {
  const text = recordAt(workload, '/metadata/annotations')?.[REVISION_ANNOTATION];
  const revision = typeof text === 'string' ? Number(text) : Number.NaN;
  return Number.isInteger(revision) ? revision : undefined;
}

/** What a finding about a workload rests on: which object it is, its pod template and its selector. */
export function templateBasis(workload: RawObject): Readonly<Record<string, unknown>> {
  return {
    uid: textAt(workload, '/metadata/uid'),
    template: valueAt(workload, '/spec/template'),
    selector: valueAt(workload, '/spec/selector'),
  };
}

/** What the gates read besides, and a person is shown again when it moves. */
export function templateMoving(workload: RawObject): Readonly<Record<string, unknown>> {
  return {
    replicas: numberAt(workload, '/spec/replicas'),
    paused: valueAt(workload, '/spec/paused'),
    strategy: valueAt(workload, '/spec/strategy'),
  };
}

/** How many pods may be down at once while a template rolls out; a quarter is the API's own default. */
export function surgeRadius(replicas: number): { readonly pods: number; readonly of: number } {
  return { pods: replicas === 0 ? 0 : Math.max(1, Math.ceil(replicas / 4)), of: replicas };
}
