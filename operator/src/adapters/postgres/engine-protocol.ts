import type { EngineModule } from './engine-module.ts';

/** What the server's thread and the engine's thread send each other. One message there and one back for each statement. */

export interface EngineStart {
  /** Folder of the database files; in memory when absent. */
  readonly folder?: string;
  /** Path of a tar of a database folder to start from. */
  readonly load?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Compiled once for the process: compiling is most of what a start costs. */
  readonly module: EngineModule;
}

export type EngineRequest =
  /** One batch of PostgreSQL's wire protocol that ends in exactly one `ReadyForQuery`. */
  | { readonly kind: 'exchange'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' };

export type EngineReply =
  | { readonly kind: 'started' }
  | { readonly kind: 'answer'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'closed' }
  /** The engine itself failed. An error of a statement is an ordinary answer. */
  | { readonly kind: 'failed'; readonly reason: string };
