import type { KubeObject } from '../object.ts';
import { columnsOf } from './table-columns.ts';

/** What a client wants objects as: themselves, rows of a table, or their metadata alone. */
export type Rendering =
  | { readonly kind: 'object' }
  | { readonly kind: 'table'; readonly include: 'None' | 'Metadata' | 'Object' }
  | { readonly kind: 'metadata' };

/** Reads the Accept header; the first media type that is known wins. Undefined when none can be served. */
export function renderingFor(accept: string | undefined, query: URLSearchParams): Rendering | undefined {
  if (accept === undefined || accept === '') return { kind: 'object' };
  for (const type of accept.split(',')) {
    const [media = '', ...parameters] = type.split(';').map((part) => part.trim());
    if (!['application/json', 'application/*', '*/*'].includes(media)) continue;
    const as = parameters.find((each) => each.startsWith('as='))?.slice(3);
    if (as === undefined) return { kind: 'object' };
    if (as === 'Table') return { kind: 'table', include: includeOf(query.get('includeObject')) };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return { kind: 'metadata' };
  }
  return undefined;
}

function includeOf(value: string | null): 'None' | 'Metadata' | 'Object' {
  return value === 'None' || value === 'Object' ? value : 'Metadata';
}

export interface TableMeta {
  readonly resourceVersion?: string | undefined;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

interface TableSource {
  readonly type: { readonly group: string; readonly resource: string };
  readonly include: 'None' | 'Metadata' | 'Object';
  readonly now: Date;
}

/** A `meta.k8s.io/v1` Table. Only the first table of a watch carries the column definitions. */
export function tableJson(
  source: TableSource,
  objects: readonly KubeObject[],
  meta: TableMeta,
  withColumns = true,
): string {
  const columns = columnsOf(source.type);
  return JSON.stringify({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: meta,
    columnDefinitions: withColumns
      ? columns.map(({ name, type, priority }) => ({
          name,
          type,
          format: name === 'Name' ? 'name' : '',
          description: name,
          priority,
        }))
      : null,
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, source.now)),
      ...includedObject(source.include, object),
    })),
  });
}

function includedObject(include: TableSource['include'], object: KubeObject) {
  if (include === 'None') return {};
  return { object: include === 'Object' ? object : metadataOnly(object) };
}

export function metadataOnly(object: KubeObject): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
