import type { KubeObject } from '../object.ts';

const fieldsText = new WeakMap<KubeObject, string>();

/** The object's JSON, kind first. Written out once for each stored state, however many read or watch it. */
export function objectJson(object: KubeObject): string {
  return `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},${fields(object)}`;
}

/** As an element of a list, where the API leaves kind and apiVersion out. */
export function itemJson(object: KubeObject): string {
  return `{${fields(object)}`;
}

function fields(object: KubeObject): string {
  const known = fieldsText.get(object);
  if (known !== undefined) return known;
  const { kind: _k, apiVersion: _v, ...rest } = object;
  const text = JSON.stringify(rest).slice(1);
  fieldsText.set(object, text);
  return text;
}
