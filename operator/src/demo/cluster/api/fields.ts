import { at } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import type { ApiResource } from './resources.ts';
import { badRequest } from './status.ts';

export type ObjectTest = (object: KubeObject) => boolean;

/** Only these can be asked for, as on a real cluster: a selector that works here must work there. */
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  nodes: ['spec.unschedulable'],
  secrets: ['type'],
  namespaces: ['status.phase'],
  jobs: ['status.successful'],
  replicasets: ['status.replicas'],
  services: ['spec.clusterIP', 'spec.type'],
};

/** Booleans and counts that are not set are compared as their zero. */
const ZERO: Readonly<Record<string, string>> = {
  'spec.unschedulable': 'false',
  'spec.hostNetwork': 'false',
  'status.successful': '0',
  'status.replicas': '0',
};

/** The names under which the newer form of an Event has the same fields. */
const NEWER_EVENT_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^regarding\./, 'involvedObject.'],
  [/^reportingController$/, 'reportingComponent'],
];

/** `a=b,c!=d` over the fields that the type lets one select by. Throws BadRequest. */
export function parseFieldSelector(text: string, resource: ApiResource): ObjectTest {
  const tests = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => parseTerm(part, text, resource));
  return (object) => tests.every((test) => test(object));
}

function parseTerm(part: string, whole: string, resource: ApiResource): ObjectTest {
  const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(part);
  if (!match) throw badRequest(`invalid selector: '${whole}'; can't understand '${part}'`);
  const [, field = '', operator, wanted] = match;
  const path = pathOf(field, resource);
  if (!path) {
    throw badRequest(notSelectable(field, resource));
  }
  const negated = operator === '!=';
  return (object) => (fieldText(object, path) === wanted) !== negated;
}

function notSelectable(field: string, resource: ApiResource): string {
  if (resource.resource === 'jobs') return `field label "${field}" not supported for Job`;
  if (SELECTABLE[resource.resource] !== undefined) return `field label not supported: ${field}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function pathOf(field: string, resource: ApiResource): string | undefined {
  if (field === 'metadata.name' || (field === 'metadata.namespace' && resource.namespaced)) return field;
  let stored = field;
  if (resource.group === 'events.k8s.io') {
    for (const [newer, older] of NEWER_EVENT_NAMES) stored = stored.replace(newer, older);
  }
  return SELECTABLE[resource.resource]?.includes(stored) ? stored : undefined;
}

function fieldText(object: KubeObject, path: string): string {
  if (path === 'source') return String(at(object, 'source', 'component') ?? at(object, 'reportingComponent') ?? '');
  if (path === 'status.successful') return String(at(object, 'status', 'succeeded') ?? '0');
  return String(at(object, ...path.split('.')) ?? ZERO[path] ?? '');
}
