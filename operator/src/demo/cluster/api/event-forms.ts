import { isRecord, type Json, recordAt } from '../json-at.ts';
import type { GroupVersionResource, KubeObject } from '../object.ts';

/**
 * Events are served by two API groups and stored once, in the older form. The fields that have another name there;
 * all others (reason, type, action, eventTime, series, related, reportingInstance) are called the same.
 */
const OLDER_BY_NEWER: Readonly<Record<string, string>> = {
  note: 'message',
  regarding: 'involvedObject',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const NEWER_BY_OLDER = Object.fromEntries(Object.entries(OLDER_BY_NEWER).map(([newer, older]) => [older, newer]));

const NEWER_GROUP = 'events.k8s.io';
const newerForms = new WeakMap<KubeObject, KubeObject>();

/** Where objects of the served type are stored. */
export function storedType(type: GroupVersionResource): GroupVersionResource {
  return type.group === NEWER_GROUP ? { ...type, group: '' } : type;
}

export function toStored(type: GroupVersionResource, object: KubeObject): KubeObject {
  if (type.group !== NEWER_GROUP) return object;
  return { ...(renamed(object, OLDER_BY_NEWER) as KubeObject), apiVersion: 'v1' };
}

export function toServed(type: GroupVersionResource, object: KubeObject): KubeObject {
  if (type.group !== NEWER_GROUP) return object;
  const known = newerForms.get(object);
  if (known) return known;
  const served = { ...(renamed(object, NEWER_BY_OLDER) as KubeObject), apiVersion: `${NEWER_GROUP}/v1` };
  newerForms.set(object, served);
  return served;
}

function renamed(object: KubeObject, names: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [names[key] ?? key, value]));
}

/** What an event of the newer form must say; the older one is taken as it comes. */
export function missingInNewerEvent(object: Json): readonly string[] {
  const required = ['eventTime', 'reportingController', 'reportingInstance', 'action', 'reason', 'type'];
  const missing = required.filter(
    (field) => object[field] === undefined || object[field] === null || object[field] === '',
  );
  return isRecord(object.regarding) && Object.keys(recordAt(object, 'regarding')).length > 0
    ? missing
    : [...missing, 'regarding'];
}
