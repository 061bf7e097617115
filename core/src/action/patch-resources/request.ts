import { sameJson } from '../../canonical-json.ts';
import { formatCpu, formatMemory } from '../../facts/quantity.ts';
import type { FreshTarget, PlannedWrite } from '../kind.ts';
import { impossible, templatePatch } from '../patch.ts';
import { listAt, type RawObject, recordAt, textAt, valueAt } from '../raw-object.ts';
import type { Stamps } from '../stamps.ts';
import type { ActionParams, ActionRequest } from '../types.ts';

const CONTAINERS = '/spec/template/spec/containers';

export function containerIndex(workload: RawObject, container: string): number {
  return listAt(workload, CONTAINERS).findIndex((spec) => textAt(spec, '/name') === container);
}

export function resourcesPath(index: number): string {
  return `${CONTAINERS}/${index}/resources`;
}

/** The container's whole `resources` with the named amounts replaced; requests and limits of other resources stay. */
export function changedResources(present: RawObject | undefined, params: ActionParams['PatchResources']): RawObject {
  const limits: Record<string, unknown> = { ...recordAt(present, '/limits') };
  const requests: Record<string, unknown> = { ...recordAt(present, '/requests') };
  if (params.memoryLimitBytes !== undefined) limits.memory = formatMemory(params.memoryLimitBytes);
  if (params.cpuLimitMillis !== undefined) limits.cpu = formatCpu(params.cpuLimitMillis);
  if (params.memoryRequestBytes !== undefined) requests.memory = formatMemory(params.memoryRequestBytes);
  if (params.cpuRequestMillis !== undefined) requests.cpu = formatCpu(params.cpuRequestMillis);
  return {
    ...present,
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
  };
}

/** Also tests the container's name, since a list index names nothing by itself. */
export function patchResourcesRequest(
  request: ActionRequest<'PatchResources'>,
  fresh: FreshTarget,
  stamps: Stamps,
): PlannedWrite {
  if (valueAt(fresh.object, '/spec/paused') === true)
    return impossible('nothing-to-change', 'the rollout is paused, so a new pod template would not roll out');
  const { container } = request.params;
  const index = containerIndex(fresh.object, container);
  if (index < 0) return impossible('container-missing', `expected a container named \`${container}\`, found none`);
  const path = resourcesPath(index);
  const present = recordAt(fresh.object, path);
  const value = changedResources(present, request.params);
  if (sameJson(present, value)) return impossible('nothing-to-change', 'the container already has these resources');
  const planned = templatePatch(fresh.object, [{ path, value }], stamps);
  if (planned.kind === 'impossible' || planned.write.verb !== 'patch') return planned;
  const name = { op: 'test', path: `${CONTAINERS}/${index}/name`, value: container } as const;
  const [uid, version, ...rest] = planned.write.patch;
  if (uid === undefined || version === undefined) return impossible('malformed-object', 'expected identity tests');
  return { kind: 'write', write: { ...planned.write, patch: [uid, version, name, ...rest] } };
}
