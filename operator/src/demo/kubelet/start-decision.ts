import { assertNever } from '@hephaisto/core/assert-never';
import type { Container, EnvVar, Pod } from '../kube-client/pod.ts';
import type { Behaviour, Condition, ContainerScript } from '../stories/behaviour.ts';
import type { ContainerRecord } from './container-record.ts';

/** What was read from the cluster before a container is started. */
export interface StartFacts {
  /** Data of the Secrets and ConfigMaps that the container names; `undefined` where the object does not exist. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
  /** Ready endpoints of each Service that a behaviour asks about. */
  readonly readyEndpoints: Readonly<Record<string, number>>;
  /** Markers in the pod's volumes, as `volume/marker`. */
  readonly markers: ReadonlySet<string>;
  readonly ordinal: number;
}

export type StartDecision =
  | { readonly kind: 'start'; readonly script: ContainerScript; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'pull-error'; readonly error: string }
  | { readonly kind: 'config-error'; readonly message: string };

const HEALTHY: ContainerScript = {
  log: [
    { at: 0, text: '{time} info starting {image}' },
    { at: 1, text: '{time} info listening on :8080' },
  ],
};

const TASK: ContainerScript = {
  log: [{ at: 0, text: '{time} info started' }],
  exit: { after: 5, code: 0, reason: 'Completed' },
};

type Resolved = { readonly value: string | undefined } | { readonly error: string };

function fromKey(
  kind: 'Secret' | 'ConfigMap',
  namespace: string,
  source: EnvVar['valueFrom'],
  facts: StartFacts,
): Resolved {
  const ref = kind === 'Secret' ? source?.secretKeyRef : source?.configMapKeyRef;
  if (ref === undefined) return { value: undefined };
  const data = (kind === 'Secret' ? facts.secrets : facts.configMaps)[ref.name];
  if (data === undefined) {
    return ref.optional === true ? { value: undefined } : { error: `${kind.toLowerCase()} "${ref.name}" not found` };
  }
  const value = data[ref.key];
  if (value !== undefined || ref.optional === true) return { value };
  return { error: `couldn't find key ${ref.key} in ${kind} ${namespace}/${ref.name}` };
}

function fieldValue(pod: Pod, path: string): string {
  const fields: Record<string, string | undefined> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'metadata.uid': pod.metadata.uid,
    'spec.nodeName': pod.spec.nodeName,
  };
  return fields[path] ?? '';
}

function resolveVariable(pod: Pod, variable: EnvVar, facts: StartFacts): Resolved {
  if (variable.valueFrom === undefined) return { value: variable.value ?? '' };
  const namespace = pod.metadata.namespace ?? '';
  if (variable.valueFrom.fieldRef !== undefined)
    return { value: fieldValue(pod, variable.valueFrom.fieldRef.fieldPath) };
  return fromKey(
    variable.valueFrom.secretKeyRef === undefined ? 'ConfigMap' : 'Secret',
    namespace,
    variable.valueFrom,
    facts,
  );
}

/** The container's environment as its process would see it, or the kubelet's error where a Secret or ConfigMap lacks something. */
export function resolveEnv(
  pod: Pod,
  container: Container,
  facts: StartFacts,
): { readonly env: Record<string, string> } | { readonly error: string } {
  const env: Record<string, string> = {};
  for (const from of container.envFrom ?? []) {
    const ref = from.secretRef ?? from.configMapRef;
    if (ref === undefined) continue;
    const data = (from.secretRef === undefined ? facts.configMaps : facts.secrets)[ref.name];
    if (data === undefined && ref.optional !== true) {
      return { error: `${from.secretRef === undefined ? 'configmap' : 'secret'} "${ref.name}" not found` };
    }
    for (const [key, value] of Object.entries(data ?? {})) env[`${from.prefix ?? ''}${key}`] = value;
  }
  for (const variable of container.env ?? []) {
    const resolved = resolveVariable(pod, variable, facts);
    if ('error' in resolved) return resolved;
    if (resolved.value !== undefined) env[variable.name] = resolved.value;
  }
  return { env };
}

const UNITS: Readonly<Record<string, number>> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  K: 1e3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  '': 1,
};

/** Bytes of a memory quantity; NaN for text that is none. */
export function memoryBytes(quantity: string): number {
  const match = /^([0-9.]+)([A-Za-z]*)$/.exec(quantity);
  const unit = UNITS[match?.[2] ?? ''];
  return match?.[1] === undefined || unit === undefined ? Number.NaN : Number(match[1]) * unit;
}

interface Situation {
  readonly container: Container;
  readonly record: ContainerRecord;
  readonly env: Readonly<Record<string, string>>;
  readonly facts: StartFacts;
}

/** Whether a behaviour's condition holds for a container that is about to start. */
export function holds(condition: Condition, situation: Situation): boolean {
  const { container, record, env, facts } = situation;
  switch (condition.kind) {
    case 'always':
      return true;
    case 'env': {
      const value = env[condition.name];
      return value !== undefined && new RegExp(condition.matches).test(value);
    }
    case 'image':
      return new RegExp(condition.matches).test(container.image);
    case 'memory-limit-below': {
      const limit = container.resources?.limits?.memory;
      return limit !== undefined && memoryBytes(limit) < condition.mebibytes * 2 ** 20;
    }
    case 'marker':
      return facts.markers.has(`${condition.volume}/${condition.marker}`);
    case 'service-without-endpoints':
      return (facts.readyEndpoints[condition.service] ?? 0) === 0;
    case 'ordinal':
      return facts.ordinal === condition.equals;
    case 'restarts-below':
      // the start under decision counts: the one after the first life is restart number one
      return record.restartCount + (record.life === undefined ? 0 : 1) < condition.count;
    case 'pulls-below':
      return record.pulls < condition.count;
    case 'not':
      return !holds(condition.condition, situation);
    case 'all':
      return condition.of.every((each) => holds(each, situation));
    default:
      return assertNever(condition);
  }
}

function isTask(pod: Pod): boolean {
  return pod.spec.restartPolicy === 'Never' || pod.spec.restartPolicy === 'OnFailure';
}

/**
 * What happens when the kubelet tries to start this container now. The first behaviour that fits decides; without one, the
 * container of a task ends well and any other runs on.
 */
export function decideStart(
  pod: Pod,
  container: Container,
  record: ContainerRecord,
  behaviours: readonly Behaviour[],
  facts: StartFacts,
): StartDecision {
  const workload = pod.metadata.labels?.['app.kubernetes.io/name'];
  const init = pod.spec.initContainers?.some((each) => each.name === container.name) === true;
  const resolved = resolveEnv(pod, container, facts);
  const env = 'env' in resolved ? resolved.env : {};
  const fitting = behaviours.find(
    (behaviour) =>
      behaviour.workload === workload &&
      (behaviour.container === undefined ? !init : behaviour.container === container.name) &&
      holds(behaviour.when, { container, record, env, facts }),
  );
  // the image comes before the environment, as in a real start
  if (fitting?.run.pullError !== undefined) return { kind: 'pull-error', error: fitting.run.pullError };
  if ('error' in resolved) return { kind: 'config-error', message: resolved.error };
  return { kind: 'start', script: fitting?.run ?? (init || isTask(pod) ? TASK : HEALTHY), env };
}
