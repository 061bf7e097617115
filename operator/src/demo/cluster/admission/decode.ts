import { parseQuantity } from '@hephaisto/core/facts/quantity';
import { isRecord, listAt, recordAt } from '../json-at.ts';
import { QUANTITY_FORM } from './quantity.ts';

/**
 * What would not fit into the type at all (a number where text belongs, a quantity that is none): the sentence a decoder would
 * say, or nothing. On a create this is a bad request, on a patch an invalid result.
 */
export function undecodable(kind: string, object: unknown): string | undefined {
  return metadataFault(object) ?? specFault(kind, recordAt(object, 'spec'));
}

function metadataFault(object: unknown): string | undefined {
  if (!isRecord(recordAt(object).metadata))
    return 'json: cannot unmarshal into Go struct field .metadata of type v1.ObjectMeta';
  for (const map of ['labels', 'annotations']) {
    const entries = Object.values(recordAt(object, 'metadata', map));
    const wrong = entries.find((value) => typeof value !== 'string');
    if (wrong !== undefined) return mismatch(wrong, `ObjectMeta.metadata.${map}`, 'string');
  }
  const name = recordAt(object, 'metadata').name;
  return name === undefined || typeof name === 'string'
    ? undefined
    : mismatch(name, 'ObjectMeta.metadata.name', 'string');
}

const INTEGERS = [
  'replicas',
  'progressDeadlineSeconds',
  'revisionHistoryLimit',
  'backoffLimit',
  'completions',
  'parallelism',
  'minReadySeconds',
];

function specFault(kind: string, spec: Record<string, unknown>): string | undefined {
  for (const field of INTEGERS) {
    const value = spec[field];
    if (value !== undefined && value !== null && !Number.isInteger(value))
      return mismatch(value, `${kind}Spec.spec.${field}`, 'int32');
  }
  return kind === 'Pod' ? podFault(spec, 'spec') : podFault(recordAt(spec, 'template', 'spec'), 'spec.template.spec');
}

function podFault(spec: Record<string, unknown>, path: string): string | undefined {
  for (const list of ['containers', 'initContainers']) {
    const containers = spec[list];
    if (containers !== undefined && containers !== null && !Array.isArray(containers))
      return mismatch(containers, `PodSpec.${path}.${list}`, '[]v1.Container');
    for (const container of listAt(spec, list)) {
      const fault = containerFault(container, `${path}.${list}`);
      if (fault) return fault;
    }
  }
  return undefined;
}

function containerFault(container: unknown, path: string): string | undefined {
  if (!isRecord(container)) return mismatch(container, `PodSpec.${path}`, 'v1.Container');
  for (const variable of listAt(container, 'env')) {
    const value = recordAt(variable).value;
    if (value !== undefined && typeof value !== 'string') return mismatch(value, `EnvVar.${path}.env.value`, 'string');
  }
  for (const bound of ['limits', 'requests']) {
    for (const amount of Object.values(recordAt(container, 'resources', bound))) {
      if (parseQuantity(amount) === undefined) return QUANTITY_FORM;
    }
  }
  return undefined;
}

function mismatch(value: unknown, field: string, type: string): string {
  const found = Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  return `json: cannot unmarshal ${found} into Go struct field ${field} of type ${type}`;
}
