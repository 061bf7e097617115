import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ids, Timers } from '@hephaisto/core/ports/clock';
import type { Identity } from '../access/identity.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Json } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import type { MemoryStore } from '../store.ts';
import type { RequestInfo } from './request-info.ts';
import type { ApiResource } from './resources.ts';

export interface Snapshot {
  readonly revision: number;
  readonly rest: readonly KubeObject[];
  readonly selective: boolean;
}

/** The unread rests of paged lists, each as it was when its first page was read. Bounded: the oldest rest expires first. */
export interface ListPages {
  keep(snapshot: Snapshot): string;
  take(token: string): Snapshot | undefined;
  clear(): void;
}

/** The open watches of the API server. */
export interface WatchHub {
  serve(exchange: Exchange): void;
  /** How many are open. */
  open(): number;
  /** Sends those that match a 410 in the stream and ends them. */
  expire(matches: (info: RequestInfo) => boolean): number;
  /** Breaks the connection of those that match in the middle of a line. */
  cut(matches: (info: RequestInfo) => boolean): number;
  /** Ends all of them in good order. */
  close(): void;
}

/** What all handlers share for the cluster's life. */
export interface ApiContext {
  readonly store: MemoryStore;
  readonly tokens: Tokens;
  readonly now: () => Date;
  readonly ids: Ids;
  readonly timers: Timers;
  readonly watches: WatchHub;
  readonly pages: ListPages;
  /** Where a watch that starts too far back is refused: in the stream, as the API server does, or by the HTTP status. */
  readonly expiredWatch: 'stream' | 'status';
}

/** One authenticated, authorized request to a known type. */
export interface Exchange {
  readonly context: ApiContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly resource: ApiResource;
  readonly who: Identity;
  /** The decoded body; empty for a request without one. */
  readonly body: unknown;
  /** The verdict on `dryRun=All`: all is checked, nothing is stored. */
  readonly dryRun: boolean;
  /** To be called by a handler that streams, as soon as its answer has begun. */
  readonly started: (code: number) => void;
  /** After how many events a watch is broken in the middle of a line; never when absent. */
  readonly cutAfter?: number;
}

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Undefined when the handler has written the answer itself. */
export type Handler = (exchange: Exchange) => Promise<Answer | undefined> | Answer | undefined;

export function json(code: number, body: Json | object): Answer {
  return { code, text: JSON.stringify(body) };
}

export function succeeded(code: number, details?: object): Answer {
  return json(code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details ? { details } : {}),
    ...(code === 201 ? { code } : {}),
  });
}
