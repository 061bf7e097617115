import { asRecord, numberAt, type Raw, recordAt, textAt } from '@hephaisto/core/facts/raw';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { classifyAnswer } from './classify.ts';

export interface ListPage {
  readonly items: readonly Raw[];
  readonly version: string;
  /** Absent on the last page. */
  readonly cursor: string | undefined;
}

/** A page of a list, or undefined when the text is none. */
export function readListPage(text: string): ListPage | undefined {
  const list = parseObject(text);
  const version = list === undefined ? undefined : textAt(recordAt(list, 'metadata'), 'resourceVersion');
  if (list === undefined || version === undefined) return undefined;
  const cursor = textAt(recordAt(list, 'metadata'), 'continue');
  return {
    // The API sends null for an empty list.
    items: Array.isArray(list.items) ? list.items.map(asRecord) : [],
    version,
    cursor: cursor === '' ? undefined : cursor,
  };
}

export type WatchLine =
  | {
      readonly kind: 'change';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: Raw;
      readonly version: string;
    }
  | { readonly kind: 'bookmark'; readonly version: string }
  | { readonly kind: 'broken'; readonly failure: KubeFailure };

/** One line of a watch. An ERROR event is the server's refusal, usually 410; anything unreadable means the stream cannot be trusted. */
export function readWatchLine(text: string): WatchLine {
  const event = parseObject(text);
  const object = recordAt(event, 'object');
  if (event?.type === 'ERROR') {
    const status = numberAt(object, 'code') ?? 500;
    return { kind: 'broken', failure: classifyAnswer({ status, text: JSON.stringify(object), retryAfter: undefined }) };
  }
  const version = textAt(recordAt(object, 'metadata'), 'resourceVersion');
  if (version !== undefined) {
    if (event?.type === 'BOOKMARK') return { kind: 'bookmark', version };
    if (event?.type === 'ADDED' || event?.type === 'MODIFIED' || event?.type === 'DELETED') {
      return { kind: 'change', change: event.type, object, version };
    }
  }
  return {
    kind: 'broken',
    failure: { kind: 'failure', reason: 'malformed', message: 'expected a watch event, found another line' },
  };
}

function parseObject(text: string): Raw | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? asRecord(value) : undefined;
  } catch {
    return undefined;
  }
}
