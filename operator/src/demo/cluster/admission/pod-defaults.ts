import { parseQuantity } from '@hephaisto/core/facts/quantity';
import { isRecord, type Json, listAt, recordAt, textAt } from '../json-at.ts';
import { nameSuffix } from '../object-meta.ts';
import { canonicalQuantity } from './quantity.ts';

/** What the API server fills into a pod's spec, in a template as in a pod. What is set stays. */
export function podSpecDefaults(spec: Json): Json {
  return {
    ...withoutEmptyLists(spec, ['volumes', 'initContainers', 'tolerations', 'imagePullSecrets']),
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
    schedulerName: spec.schedulerName ?? 'default-scheduler',
    securityContext: spec.securityContext ?? {},
    ...(spec.serviceAccountName ? { serviceAccount: spec.serviceAccountName } : {}),
    ...eachOf(spec, 'containers', containerDefaults),
    ...(listAt(spec, 'initContainers').length > 0 ? eachOf(spec, 'initContainers', containerDefaults) : {}),
    ...(listAt(spec, 'volumes').length > 0 ? eachOf(spec, 'volumes', volumeDefaults) : {}),
  };
}

/** What only a pod itself gets: its account, its tolerations, requests that follow from limits. */
export function podDefaults(given: Json, uid: string | undefined): Json {
  const spec = uid === undefined ? given : withAccountToken(given, uid);
  const filled = podSpecDefaults(spec);
  const account = spec.serviceAccountName ?? spec.serviceAccount ?? 'default';
  return {
    ...filled,
    enableServiceLinks: spec.enableServiceLinks ?? true,
    preemptionPolicy: spec.preemptionPolicy ?? 'PreemptLowerPriority',
    priority: spec.priority ?? 0,
    serviceAccountName: account,
    serviceAccount: account,
    tolerations: withNodeTolerations(listAt(spec, 'tolerations')),
    ...eachOf(filled, 'containers', requestsFromLimits),
    ...eachOf(filled, 'initContainers', requestsFromLimits),
  };
}

export function podStatusDefaults(spec: Json, status: unknown): Json {
  const given = isRecord(status) ? status : {};
  return { phase: 'Pending', qosClass: qosClass(spec), ...given };
}

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Mounts the account's token, the cluster's CA and the namespace's name into each container that does not mount something there itself. */
function withAccountToken(spec: Json, uid: string): Json {
  const name = `kube-api-access-${nameSuffix(uid)}`;
  const has = listAt(spec, 'volumes').some((each) => textAt(each, 'name')?.startsWith('kube-api-access-') === true);
  if (has || spec.automountServiceAccountToken === false) return spec;
  const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
  const mounted = (container: Json) => {
    const mounts = listAt(container, 'volumeMounts');
    const taken = mounts.some((each) => textAt(each, 'mountPath') === TOKEN_PATH);
    return taken ? container : { ...container, volumeMounts: [...mounts, mount] };
  };
  return {
    ...spec,
    ...eachOf(spec, 'containers', mounted),
    ...eachOf(spec, 'initContainers', mounted),
    volumes: [...listAt(spec, 'volumes'), { name, projected: { defaultMode: 420, sources: TOKEN_SOURCES } }],
  };
}

const TOKEN_SOURCES = [
  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  {
    downwardAPI: {
      items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
    },
  },
];

/** What is empty is not written. */
function withoutEmptyLists(owner: Json, fields: readonly string[]): Json {
  const kept = Object.entries(owner).filter(
    ([key, value]) => !(fields.includes(key) && Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(kept);
}

const NODE_TROUBLE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

function withNodeTolerations(tolerations: readonly unknown[]): readonly unknown[] {
  const missing = NODE_TROUBLE.filter((key) => !tolerations.some((each) => textAt(each, 'key') === key));
  return [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })),
  ];
}

function eachOf(owner: Json, field: string, fill: (entry: Json) => Json): Json {
  const entries = owner[field];
  return Array.isArray(entries) ? { [field]: entries.map((entry) => (isRecord(entry) ? fill(entry) : entry)) } : {};
}

function containerDefaults(container: Json): Json {
  const empty = ['env', 'envFrom', 'ports', 'volumeMounts', 'command', 'args'].filter(
    (field) => Array.isArray(container[field]) && listAt(container, field).length === 0,
  );
  if (empty.length > 0) return containerDefaults(withoutEmptyLists(container, empty));
  return {
    ...container,
    imagePullPolicy: container.imagePullPolicy ?? pullPolicy(textAt(container, 'image') ?? ''),
    resources: canonicalResources(recordAt(container, 'resources')),
    terminationMessagePath: container.terminationMessagePath ?? '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy ?? 'File',
    ...eachOf(container, 'ports', (port) => ({ ...port, protocol: port.protocol ?? 'TCP' })),
    ...eachOf(container, 'env', envDefaults),
    ...probe(container, 'livenessProbe'),
    ...probe(container, 'readinessProbe'),
    ...probe(container, 'startupProbe'),
  };
}

function canonicalResources(resources: Json): Json {
  const canonical = (bound: string) =>
    isRecord(resources[bound])
      ? {
          [bound]: Object.fromEntries(
            Object.entries(recordAt(resources, bound)).map(([name, amount]) => [name, canonicalQuantity(amount)]),
          ),
        }
      : {};
  return { ...resources, ...canonical('limits'), ...canonical('requests') };
}

/** A tag that moves is pulled each time; a digest or any other tag is taken as fixed. */
function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('@')) return 'IfNotPresent';
  return !name.includes(':') || name.endsWith(':latest') ? 'Always' : 'IfNotPresent';
}

function envDefaults(variable: Json): Json {
  const fieldRef = recordAt(variable, 'valueFrom', 'fieldRef');
  if (!fieldRef.fieldPath || fieldRef.apiVersion) return variable;
  const valueFrom = { ...recordAt(variable, 'valueFrom'), fieldRef: { apiVersion: 'v1', ...fieldRef } };
  return { ...variable, valueFrom };
}

function probe(container: Json, field: string): Json {
  const given = container[field];
  if (!isRecord(given)) return {};
  const http = recordAt(given, 'httpGet');
  const httpGet = given.httpGet ? { httpGet: { path: '/', scheme: 'HTTP', ...http } } : {};
  const counts = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
  return { [field]: { ...counts, ...given, ...httpGet } };
}

const MOUNTED_AS_FILES = ['secret', 'configMap', 'projected', 'downwardAPI'];

function volumeDefaults(volume: Json): Json {
  const source = MOUNTED_AS_FILES.find((each) => isRecord(volume[each]));
  if (source) return { ...volume, [source]: { defaultMode: 420, ...recordAt(volume, source) } };
  return Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : volume;
}

function requestsFromLimits(container: Json): Json {
  const limits = recordAt(container, 'resources', 'limits');
  if (Object.keys(limits).length === 0) return container;
  const requests = { ...limits, ...recordAt(container, 'resources', 'requests') };
  return { ...container, resources: { ...recordAt(container, 'resources'), requests } };
}

function qosClass(spec: Json): string {
  const containers = listAt(spec, 'containers');
  const part = (each: unknown, kind: string, resource: string) =>
    parseQuantity(recordAt(each, 'resources', kind)[resource]) ?? 0;
  const measured = ['cpu', 'memory'];
  const guaranteed = containers.every((each) =>
    measured.every(
      (name) => part(each, 'limits', name) > 0 && part(each, 'requests', name) === part(each, 'limits', name),
    ),
  );
  if (guaranteed && containers.length > 0) return 'Guaranteed';
  const any = containers.some((each) =>
    measured.some((name) => part(each, 'limits', name) > 0 || part(each, 'requests', name) > 0),
  );
  return any ? 'Burstable' : 'BestEffort';
}
