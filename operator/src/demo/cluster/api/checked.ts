import { invalidObject } from '../admission/field-error.ts';
import { validate } from '../admission/validation.ts';
import type { GroupVersionResource, KubeObject } from '../object.ts';
import { StoreError } from '../store.ts';
import type { Exchange } from './exchange.ts';
import { fromStoreError } from './status.ts';

/** Runs a step against the store and puts its refusal into the API's words for this request. */
export function storing<T>(exchange: Exchange, name: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof StoreError ? fromStoreError(error, exchange.resource, name) : error;
  }
}

/** Throws 422 with all that is wrong with a complete object. */
export function requireValid(
  exchange: Exchange,
  type: GroupVersionResource,
  planned: KubeObject,
  stored?: KubeObject,
): void {
  const errors = validate(type, planned, stored);
  if (errors.length === 0) return;
  const { kind, group } = exchange.resource;
  throw invalidObject(kind, group, planned.metadata.name, errors);
}
