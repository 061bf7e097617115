import { isRecord, type Json } from '../json-at.ts';
import { badRequest } from './status.ts';

export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

/** Lists that are merged item by item, and the fields, in order of trial, that tell their items apart. Every other list is replaced whole. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  imagePullSecrets: ['name'],
  env: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  // A container's ports go by one field, a service's by the other.
  ports: ['containerPort', 'port'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  conditions: ['type'],
  ownerReferences: ['uid'],
};

/** Lists of plain values that a patch adds to. */
const SETS: readonly string[] = ['finalizers'];

const SET_ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';
const RETAIN_KEYS = '$retainKeys';

/** A changed copy of the document, by the merge that kubectl sends. Throws BadRequest for a directive or a list that it cannot follow. */
export function applyStrategicMerge(document: Json, patch: unknown): Json {
  if (!isRecord(patch)) throw badRequest('error decoding patch: expected an object');
  return mergeObject(structuredClone(document), patch);
}

function mergeObject(document: Json, patch: Json): Json {
  const directive = patch.$patch;
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive !== undefined && directive !== 'merge') throw unknownDirective(directive);
  const retained = patch[RETAIN_KEYS];
  const changed: Json = Array.isArray(retained)
    ? Object.fromEntries(Object.entries(document).filter(([key]) => retained.includes(key)))
    : { ...document };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null) delete changed[key];
    else changed[key] = mergeValue(key, changed[key], value);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (!key.startsWith('$') || key === '$patch' || key === RETAIN_KEYS) continue;
    followListDirective(changed, key, value);
  }
  return changed;
}

function mergeValue(name: string, current: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return mergeList(name, Array.isArray(current) ? current : [], value);
  if (!isRecord(value)) return value;
  if (value.$patch === 'delete') return {};
  return mergeObject(isRecord(current) ? current : {}, value);
}

function mergeList(name: string, current: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  if (SETS.includes(name)) return [...new Set([...current, ...patch])];
  const keys = KEYS[name];
  if (keys === undefined) return patch;
  const items = patch.filter(isRecord);
  if (items.length !== patch.length) throw badRequest(`error decoding patch: expected objects in ${name}`);
  if (items.some((item) => item.$patch === 'replace'))
    return items.filter((item) => item.$patch !== 'replace').map(withoutDirectives);
  const merged: unknown[] = [...current];
  for (const item of items) {
    const key = keys.find((each) => item[each] !== undefined);
    if (key === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${keys[0]}`);
    const at = merged.findIndex((each) => isRecord(each) && each[key] === item[key]);
    if (item.$patch === 'delete') {
      if (at >= 0) merged.splice(at, 1);
    } else if (at >= 0) merged[at] = mergeObject(merged[at] as Json, item);
    else merged.push(mergeObject({}, item));
  }
  return merged;
}

function followListDirective(changed: Json, directive: string, value: unknown): void {
  if (!Array.isArray(value)) throw unknownDirective(directive);
  if (directive.startsWith(SET_ORDER)) {
    const name = directive.slice(SET_ORDER.length);
    const list = changed[name];
    if (Array.isArray(list)) changed[name] = ordered(list, value, KEYS[name] ?? []);
  } else if (directive.startsWith(DELETE_VALUES)) {
    const name = directive.slice(DELETE_VALUES.length);
    const list = changed[name];
    if (Array.isArray(list)) changed[name] = list.filter((each) => !value.includes(each));
  } else throw unknownDirective(directive);
}

/** What the order names comes in that order, and what it does not name stays behind it. */
function ordered(list: readonly unknown[], order: readonly unknown[], keys: readonly string[]): readonly unknown[] {
  const rank = (item: unknown): number => {
    const at = order.findIndex((each) =>
      isRecord(each) && isRecord(item)
        ? keys.some((key) => each[key] !== undefined && each[key] === item[key])
        : each === item,
    );
    return at < 0 ? order.length : at;
  };
  return [...list].sort((a, b) => rank(a) - rank(b));
}

function withoutDirectives(patch: Json): Json {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));
}

function unknownDirective(directive: unknown): Error {
  return badRequest(`error decoding patch: unknown directive ${JSON.stringify(directive)}`);
}
