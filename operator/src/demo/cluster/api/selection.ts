import type { KubeObject } from '../object.ts';
import type { Exchange } from './exchange.ts';
import { type ObjectTest, parseFieldSelector } from './fields.ts';
import { labelsOf, parseLabelSelector } from './selectors.ts';

/** What the request's selectors and namespace let through, and whether they narrow anything beyond the namespace. */
export interface Selection {
  readonly test: ObjectTest;
  readonly selective: boolean;
}

export function selectionOf({ query, info, resource }: Exchange): Selection {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const byLabels = parseLabelSelector(labels);
  const byFields = parseFieldSelector(fields, resource);
  const namespace = resource.namespaced ? info.namespace : '';
  return {
    test: (object: KubeObject) =>
      (namespace === '' || object.metadata.namespace === namespace) && byLabels(labelsOf(object)) && byFields(object),
    selective: labels !== '' || fields !== '',
  };
}
