import { at, listAt, numberAt, recordAt, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { typeKey } from '../type-key.ts';
import { age, shortDuration } from './age.ts';
import { summarizePod } from './pod-row.ts';
import { labelSelectorText } from './selectors.ts';

export type Cell = string | number | boolean;

export interface Column {
  readonly name: string;
  /** `integer` is set to the right. */
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  /** 0 is always shown, 1 only in the wide form. */
  readonly priority: 0 | 1;
  readonly cell: (object: KubeObject, now: Date) => Cell;
}

type CellOf = Column['cell'];

const NONE = '<none>';

function text(name: string, cell: CellOf, priority: 0 | 1 = 0): Column {
  return { name, type: 'string', priority, cell };
}

function count(name: string, ...path: readonly string[]): Column {
  return { name, type: 'integer', priority: 0, cell: (object) => numberAt(object, ...path) ?? 0 };
}

function field(name: string, path: readonly string[], priority: 0 | 1 = 0): Column {
  return text(name, (object) => textAt(object, ...path) || NONE, priority);
}

const NAME = text('Name', (object) => object.metadata.name);
const AGE = text('Age', (object, now) => age(object.metadata.creationTimestamp, now));
const CONTAINERS = text('Containers', (object) => containers(object, 'name'), 1);
const IMAGES = text('Images', (object) => containers(object, 'image'), 1);
const SELECTOR = text('Selector', (object) => labelSelectorText(at(object, 'spec', 'selector')) || NONE, 1);
const ROLE_REF = text('Role', (object) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`);

const CREATED_AT: Column = {
  ...text('Created At', (object) => object.metadata.creationTimestamp ?? ''),
  type: 'date',
};
const SUBJECTS = [
  ['Users', 'User'],
  ['Groups', 'Group'],
  ['ServiceAccounts', 'ServiceAccount'],
].map(([name = '', kind = '']) => text(name, (object) => subjects(object, kind), 1));

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: [
    NAME,
    text('Ready', (object, now) => summarizePod(object, now).ready),
    text('Status', (object, now) => summarizePod(object, now).status),
    text('Restarts', (object, now) => summarizePod(object, now).restarts),
    AGE,
    field('IP', ['status', 'podIP'], 1),
    field('Node', ['spec', 'nodeName'], 1),
    field('Nominated Node', ['status', 'nominatedNodeName'], 1),
    text('Readiness Gates', () => NONE, 1),
  ],
  'deployments.apps': [
    NAME,
    text(
      'Ready',
      (object) => `${numberAt(object, 'status', 'readyReplicas') ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`,
    ),
    count('Up-to-date', 'status', 'updatedReplicas'),
    count('Available', 'status', 'availableReplicas'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'replicasets.apps': [
    NAME,
    count('Desired', 'spec', 'replicas'),
    count('Current', 'status', 'replicas'),
    count('Ready', 'status', 'readyReplicas'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'statefulsets.apps': [
    NAME,
    text(
      'Ready',
      (object) => `${numberAt(object, 'status', 'readyReplicas') ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`,
    ),
    AGE,
    CONTAINERS,
    IMAGES,
  ],
  'daemonsets.apps': [
    NAME,
    count('Desired', 'status', 'desiredNumberScheduled'),
    count('Current', 'status', 'currentNumberScheduled'),
    count('Ready', 'status', 'numberReady'),
    count('Up-to-date', 'status', 'updatedNumberScheduled'),
    count('Available', 'status', 'numberAvailable'),
    text(
      'Node Selector',
      (object) => labelSelectorText({ matchLabels: at(object, 'spec', 'template', 'spec', 'nodeSelector') }) || NONE,
    ),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'jobs.batch': [
    NAME,
    text('Status', jobStatus),
    text(
      'Completions',
      (object) => `${numberAt(object, 'status', 'succeeded') ?? 0}/${numberAt(object, 'spec', 'completions') ?? 1}`,
    ),
    text('Duration', jobDuration),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  nodes: [
    NAME,
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    AGE,
    field('Version', ['status', 'nodeInfo', 'kubeletVersion']),
    text('Internal-IP', (object) => nodeAddress(object, 'InternalIP'), 1),
    text('External-IP', (object) => nodeAddress(object, 'ExternalIP'), 1),
    field('OS-Image', ['status', 'nodeInfo', 'osImage'], 1),
    text('Kernel-Version', nodeKernel, 1),
    field('Container-Runtime', ['status', 'nodeInfo', 'containerRuntimeVersion'], 1),
  ],
  services: [
    NAME,
    field('Type', ['spec', 'type']),
    field('Cluster-IP', ['spec', 'clusterIP']),
    text('External-IP', () => NONE),
    text('Port(s)', servicePorts),
    AGE,
    text('Selector', (object) => labelSelectorText({ matchLabels: at(object, 'spec', 'selector') }) || NONE, 1),
  ],
  events: [
    text('Last Seen', (object, now) => age(lastSeen(object), now)),
    field('Type', ['type']),
    field('Reason', ['reason']),
    text(
      'Object',
      (object) =>
        `${(textAt(object, 'involvedObject', 'kind') ?? '').toLowerCase()}/${textAt(object, 'involvedObject', 'name') ?? ''}`,
    ),
    text('Subobject', (object) => textAt(object, 'involvedObject', 'fieldPath') ?? '', 1),
    text('Source', eventSource, 1),
    text('Message', (object) => (textAt(object, 'message') ?? '').trim()),
    text('First Seen', (object, now) => age(at(object, 'firstTimestamp') ?? at(object, 'eventTime'), now), 1),
    { ...text('Count', (object) => numberAt(object, 'count') ?? 1), priority: 1 },
    { ...NAME, priority: 1 },
  ],
  namespaces: [NAME, field('Status', ['status', 'phase']), AGE],
  configmaps: [NAME, text('Data', dataCount), AGE],
  secrets: [NAME, field('Type', ['type']), text('Data', dataCount), AGE],
  'leases.coordination.k8s.io': [NAME, field('Holder', ['spec', 'holderIdentity']), AGE],
  'endpointslices.discovery.k8s.io': [
    NAME,
    field('AddressType', ['addressType']),
    text('Ports', (object) => joined(listAt(object, 'ports').map((each) => numberAt(each, 'port')))),
    text('Endpoints', (object) => joined(listAt(object, 'endpoints').flatMap((each) => listAt(each, 'addresses')))),
    AGE,
  ],
  'poddisruptionbudgets.policy': [
    NAME,
    text('Min Available', (object) => bound(object, 'minAvailable')),
    text('Max Unavailable', (object) => bound(object, 'maxUnavailable')),
    count('Allowed Disruptions', 'status', 'disruptionsAllowed'),
    AGE,
  ],
  persistentvolumeclaims: [
    NAME,
    field('Status', ['status', 'phase']),
    field('Volume', ['spec', 'volumeName']),
    field('Capacity', ['status', 'capacity', 'storage']),
    text('Access Modes', (object) => listAt(object, 'spec', 'accessModes').join(',')),
    field('StorageClass', ['spec', 'storageClassName']),
    field('VolumeAttributesClass', ['spec', 'volumeAttributesClassName']),
    AGE,
    field('VolumeMode', ['spec', 'volumeMode'], 1),
  ],
  'cronjobs.batch': [
    NAME,
    field('Schedule', ['spec', 'schedule']),
    field('Timezone', ['spec', 'timeZone']),
    { ...text('Suspend', (object) => at(object, 'spec', 'suspend') === true), type: 'boolean' },
    { ...count('Active'), cell: (object) => listAt(object, 'status', 'active').length },
    text('Last Schedule', (object, now) => age(at(object, 'status', 'lastScheduleTime'), now)),
    AGE,
    ...['Containers', 'Images', 'Selector'].map((name) => text(name, () => NONE, 1)),
  ],
  'horizontalpodautoscalers.autoscaling': [
    NAME,
    text('Reference', (object) =>
      ['kind', 'name'].map((part) => textAt(object, 'spec', 'scaleTargetRef', part) ?? '').join('/'),
    ),
    text('Targets', () => '<unknown>'),
    text('MinPods', (object) => String(numberAt(object, 'spec', 'minReplicas') ?? '<unset>')),
    text('MaxPods', (object) => numberAt(object, 'spec', 'maxReplicas') ?? 0),
    text('Replicas', (object) => numberAt(object, 'status', 'currentReplicas') ?? 0),
    AGE,
  ],
  'ingresses.networking.k8s.io': [
    NAME,
    field('Class', ['spec', 'ingressClassName']),
    text(
      'Hosts',
      (object) =>
        listAt(object, 'spec', 'rules')
          .map((each) => textAt(each, 'host') ?? '*')
          .join(',') || '*',
    ),
    text('Address', () => ''),
    text('Ports', () => '80'),
    AGE,
  ],
  'networkpolicies.networking.k8s.io': [
    NAME,
    text('Pod-Selector', (object) => labelSelectorText(at(object, 'spec', 'podSelector')) || NONE),
    AGE,
  ],
  'controllerrevisions.apps': [
    NAME,
    text('Controller', (object) => ownerText(object)),
    text('Revision', (object) => numberAt(object, 'revision') ?? 0),
    AGE,
  ],
  resourcequotas: [NAME, text('Request', () => ''), text('Limit', () => ''), AGE],
  limitranges: [NAME, CREATED_AT],
  'rolebindings.rbac.authorization.k8s.io': [NAME, ROLE_REF, AGE, ...SUBJECTS],
  'clusterrolebindings.rbac.authorization.k8s.io': [NAME, ROLE_REF, AGE, ...SUBJECTS],
  'roles.rbac.authorization.k8s.io': [NAME, CREATED_AT],
  'clusterroles.rbac.authorization.k8s.io': [NAME, CREATED_AT],
};

/** The columns of a type; name and age for one that nobody described. */
export function columnsOf(type: { readonly group: string; readonly resource: string }): readonly Column[] {
  return COLUMNS[typeKey(type)] ?? [NAME, AGE];
}

function containers(object: KubeObject, what: 'name' | 'image'): string {
  return listAt(object, 'spec', 'template', 'spec', 'containers')
    .map((each) => textAt(each, what) ?? '')
    .join(',');
}

function joined(values: readonly unknown[]): string {
  const shown = values.filter((value) => value !== undefined);
  if (shown.length <= 3) return shown.join(',') || '<unset>';
  return `${shown.slice(0, 3).join(',')} + ${shown.length - 3} more...`;
}

function conditionHolds(object: KubeObject, type: string): boolean {
  return listAt(object, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === type && textAt(each, 'status') === 'True',
  );
}

function jobStatus(job: KubeObject): string {
  if (conditionHolds(job, 'Complete')) return 'Complete';
  if (conditionHolds(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (conditionHolds(job, 'Suspended')) return 'Suspended';
  if (conditionHolds(job, 'FailureTarget')) return 'FailureTarget';
  return 'Running';
}

function jobDuration(job: KubeObject, now: Date): string {
  const start = Date.parse(textAt(job, 'status', 'startTime') ?? '');
  if (Number.isNaN(start)) return '';
  const end = Date.parse(textAt(job, 'status', 'completionTime') ?? '');
  return shortDuration((Number.isNaN(end) ? now.getTime() : end) - start);
}

function nodeStatus(node: KubeObject): string {
  const ready = listAt(node, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready');
  const status = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

const ROLE_LABEL = 'node-role.kubernetes.io/';

function nodeRoles(node: KubeObject): string {
  const labels = Object.keys(node.metadata.labels ?? {}).filter((key) => key.startsWith(ROLE_LABEL));
  return (
    labels
      .map((key) => key.slice(ROLE_LABEL.length))
      .sort()
      .join(',') || NONE
  );
}

function nodeAddress(node: KubeObject, type: string): string {
  const address = listAt(node, 'status', 'addresses').find((each) => textAt(each, 'type') === type);
  return textAt(address, 'address') ?? NONE;
}

function servicePorts(service: KubeObject): string {
  const ports = listAt(service, 'spec', 'ports');
  return ports.map((each) => `${numberAt(each, 'port')}/${textAt(each, 'protocol') ?? 'TCP'}`).join(',') || NONE;
}

function subjects(binding: KubeObject, kind: string): string {
  return listAt(binding, 'subjects')
    .filter((each) => textAt(each, 'kind') === kind)
    .map((each) => [textAt(each, 'namespace'), textAt(each, 'name')].filter((part) => part !== undefined).join('/'))
    .join(', ');
}

function ownerText(object: KubeObject): string {
  const owner = object.metadata.ownerReferences?.find((each) => each.controller === true);
  return owner === undefined ? NONE : `${owner.kind.toLowerCase()}.${owner.apiVersion.split('/')[0]}/${owner.name}`;
}

function eventSource(event: KubeObject): string {
  const component = textAt(event, 'source', 'component') ?? textAt(event, 'reportingComponent') ?? '';
  const host =
    textAt(event, 'source', 'host') ?? (textAt(event, 'source', 'component') ? '' : textAt(event, 'reportingInstance'));
  return host ? `${component}, ${host}` : component;
}

function nodeKernel(node: KubeObject): string {
  const { kernelVersion, architecture } = recordAt(node, 'status', 'nodeInfo');
  if (!kernelVersion) return '<unknown>';
  return architecture ? `${kernelVersion} (${architecture})` : String(kernelVersion);
}

function lastSeen(event: KubeObject): unknown {
  return (
    at(event, 'series', 'lastObservedTime') ??
    at(event, 'lastTimestamp') ??
    at(event, 'eventTime') ??
    event.metadata.creationTimestamp
  );
}

function dataCount(object: KubeObject): number {
  return Object.keys(recordAt(object, 'data')).length + Object.keys(recordAt(object, 'binaryData')).length;
}

function bound(budget: KubeObject, which: string): string {
  return String(at(budget, 'spec', which) ?? 'N/A');
}
