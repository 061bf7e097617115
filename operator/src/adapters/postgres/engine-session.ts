import { StoreUnavailable } from '@hephaisto/core/ports/database';
import type { OnNotification } from './engine-answer.ts';
import { EngineStatements } from './engine-statements.ts';
import { EngineLost, type EngineThread } from './engine-thread.ts';
import { isStalePlan, storeError } from './sqlstate.ts';
import type { Session, StatementResult } from './transaction.ts';

/** The one connection of one running engine. It dies with the engine, and transactions that were open on it fail. */
export class EngineSession implements Session {
  /** The engine cannot interrupt a statement: a deadline ends the engine. */
  readonly interruptible = false;
  readonly maxIdleMs: number;
  private readonly thread: EngineThread;
  private readonly statements: EngineStatements;
  private readonly deadlineMs: number;
  private readonly lost: (reason: string) => void;

  constructor(
    thread: EngineThread,
    options: {
      readonly deadlineMs: number;
      readonly maxIdleMs: number;
      readonly onNotification: OnNotification;
      /** Called when the engine can no longer be used. */
      readonly onLost: (reason: string) => void;
    },
  ) {
    this.thread = thread;
    this.statements = new EngineStatements(
      (message, deadline) => thread.exchange(message, deadline),
      options.onNotification,
    );
    this.deadlineMs = options.deadlineMs;
    this.maxIdleMs = options.maxIdleMs;
    this.lost = options.onLost;
  }

  async run(
    text: string,
    values: readonly unknown[] | undefined,
    silence: 'none' | 'unknown',
    deadlineMs: number = this.deadlineMs,
  ): Promise<StatementResult> {
    if (this.thread.lost !== undefined) throw unavailable(this.thread.lost, 'none');
    try {
      return await (values === undefined
        ? this.statements.runText(text, deadlineMs)
        : this.statements.run(text, values, deadlineMs));
    } catch (error) {
      if (error instanceof EngineLost) {
        this.lost(error.message);
        throw unavailable(error, silence);
      }
      const mapped = storeError(error, silence);
      if (isStalePlan(mapped)) this.statements.forget();
      throw mapped;
    }
  }

  discard(): void {
    this.lost('its last transaction could not be rolled back');
  }
}

function unavailable(lost: EngineLost, outcome: 'none' | 'unknown'): StoreUnavailable {
  return new StoreUnavailable(`the embedded database stopped: ${lost.message}`, { outcome, cause: lost });
}
