import type { ModelAnswer, ModelRequest } from '../model/message.ts';

/** Hooks of one try. `send` is called with the exact bytes, once, before they leave; `heard` at each byte that comes. */
export interface TryHooks {
  readonly signal: AbortSignal;
  send(body: Uint8Array): Promise<void>;
  heard(): void;
}

/**
 * One provider's wire. Turns a neutral request into its bytes and its stream into a neutral answer, makes exactly one HTTP request, and
 * decides nothing. Rejects with `DialectError`, or with what `send` rejected with.
 */
export interface ModelDialect {
  readonly provider: string;
  readonly host: string;
  ask(model: string, request: ModelRequest, hooks: TryHooks): Promise<ModelAnswer>;
  /** Asks the provider for no more than whether it has the model; costs nothing. Rejects as `ask` does; `not-found` also where a server cannot say. */
  find(model: string, hooks: TryHooks): Promise<void>;
}
