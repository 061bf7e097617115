import type {
  ContainerSpecFact,
  ContainerStatusFact,
  EnvSource,
  EnvVar,
  TerminationFact,
  VolumeFact,
} from './facts.ts';
import { projectAmounts } from './quantity.ts';
import { given, instantAt, numberAt, type Raw, recordAt, recordsAt, textAt, textsAt } from './raw.ts';

/** Containers of a pod spec: init containers first, as the API lists them. */
export function projectContainerSpecs(podSpec: Raw): readonly ContainerSpecFact[] {
  return [
    ...recordsAt(podSpec, 'initContainers').map((container) => projectContainerSpec(container, true)),
    ...recordsAt(podSpec, 'containers').map((container) => projectContainerSpec(container, false)),
  ];
}

function projectContainerSpec(container: Raw, init: boolean): ContainerSpecFact {
  return {
    name: textAt(container, 'name') ?? '',
    init,
    image: textAt(container, 'image') ?? '',
    command: textsAt(container, 'command'),
    args: textsAt(container, 'args'),
    env: recordsAt(container, 'env').map(projectEnvVar),
    requests: projectAmounts(recordAt(container, 'resources', 'requests')),
    limits: projectAmounts(recordAt(container, 'resources', 'limits')),
  };
}

function projectEnvVar(variable: Raw): EnvVar {
  return { name: textAt(variable, 'name') ?? '', source: projectEnvSource(variable) };
}

function projectEnvSource(variable: Raw): EnvSource {
  const from = recordAt(variable, 'valueFrom');
  const secret = recordAt(from, 'secretKeyRef');
  if (secret.key !== undefined) return { kind: 'secretKey', ...keyReference(secret) };
  const configMap = recordAt(from, 'configMapKeyRef');
  if (configMap.key !== undefined) return { kind: 'configMapKey', ...keyReference(configMap) };
  const path =
    textAt(recordAt(from, 'fieldRef'), 'fieldPath') ?? textAt(recordAt(from, 'resourceFieldRef'), 'resource');
  if (path !== undefined) return { kind: 'field', path };
  return { kind: 'value', value: textAt(variable, 'value') ?? '' };
}

function keyReference(reference: Raw): { name: string; key: string; optional: boolean } {
  return {
    name: textAt(reference, 'name') ?? '',
    key: textAt(reference, 'key') ?? '',
    optional: reference.optional === true,
  };
}

/** Statuses in the order init, regular. */
export function projectContainerStatuses(podStatus: Raw): readonly ContainerStatusFact[] {
  return [
    ...recordsAt(podStatus, 'initContainerStatuses').map((status) => projectContainerStatus(status, true)),
    ...recordsAt(podStatus, 'containerStatuses').map((status) => projectContainerStatus(status, false)),
  ];
}

function projectContainerStatus(status: Raw, init: boolean): ContainerStatusFact {
  const state = recordAt(status, 'state');
  return {
    name: textAt(status, 'name') ?? '',
    init,
    ready: status.ready === true,
    started: status.started === true,
    restartCount: numberAt(status, 'restartCount') ?? 0,
    ...given('imageId', textAt(status, 'imageID')),
    ...given('waiting', projectWaiting(state.waiting)),
    ...given('running', projectRunning(state.running)),
    ...given('terminated', projectTermination(state.terminated)),
    ...given('lastTerminated', projectTermination(recordAt(status, 'lastState').terminated)),
  };
}

function projectWaiting(value: unknown): { reason: string; message?: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const waiting = recordAt(value);
  return { reason: textAt(waiting, 'reason') ?? '', ...given('message', textAt(waiting, 'message')) };
}

function projectRunning(value: unknown): { startedAt?: Date } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return given('startedAt', instantAt(recordAt(value), 'startedAt'));
}

function projectTermination(value: unknown): TerminationFact | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const terminated = recordAt(value);
  return {
    exitCode: numberAt(terminated, 'exitCode') ?? 0,
    reason: textAt(terminated, 'reason') ?? '',
    ...given('message', textAt(terminated, 'message')),
    ...given('startedAt', instantAt(terminated, 'startedAt')),
    ...given('finishedAt', instantAt(terminated, 'finishedAt')),
  };
}

/** Volumes with the name of what they come from, never contents. */
export function projectVolumes(podSpec: Raw): readonly VolumeFact[] {
  return recordsAt(podSpec, 'volumes').map((volume) => {
    const name = textAt(volume, 'name') ?? '';
    const found = VOLUME_KINDS.find(([field]) => volume[field] !== undefined);
    if (found === undefined) return { name, kind: 'other' };
    const [field, kind, source] = found;
    return { name, kind, ...given('source', source === '' ? undefined : textAt(recordAt(volume, field), source)) };
  });
}

/** API field, our kind, field that names the source. */
const VOLUME_KINDS: readonly (readonly [string, VolumeFact['kind'], string])[] = [
  ['emptyDir', 'emptyDir', ''],
  ['configMap', 'configMap', 'name'],
  ['secret', 'secret', 'secretName'],
  ['persistentVolumeClaim', 'pvc', 'claimName'],
  ['projected', 'projected', ''],
  ['hostPath', 'hostPath', 'path'],
];
