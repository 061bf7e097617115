import { type EngineCondition, StoreUnavailable } from '@hephaisto/core/ports/database';
import type { OnNotification } from './engine-answer.ts';
import { EngineSession } from './engine-session.ts';
import type { EngineThread } from './engine-thread.ts';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** How long health reports a restart after it. */
const REPORTED_MS = 3_600_000;

export interface SupervisorOptions {
  readonly start: () => Promise<EngineThread>;
  /** False where the database is in memory and ends with its engine. */
  readonly canRestart: boolean;
  readonly deadlineMs: number;
  readonly maxIdleMs: number;
  readonly onNotification: OnNotification;
  /** Called once a new engine runs, before anybody else may use it. */
  readonly onRestarted: (session: EngineSession) => Promise<void>;
  /** Told of each restart; one lower-case sentence. */
  readonly onTrouble: (message: string) => void;
}

type State =
  | { readonly kind: 'running'; readonly thread: EngineThread; readonly session: EngineSession }
  | { readonly kind: 'restarting'; readonly reason: string; readonly done: Promise<void> }
  | { readonly kind: 'ended'; readonly reason: string };

/**
 * Keeps the embedded engine running. An engine that does not answer in time, or that fails in any way but by answering, is ended and its
 * folder opened by a new one, which recovers everything that was committed.
 */
export class EngineSupervisor {
  private readonly options: SupervisorOptions;
  private state: State;
  private closed = false;
  private abandoned: string | undefined;
  private restarts = 0;
  private last: { readonly at: Date; readonly atMs: number; readonly reason: string } | undefined;

  private constructor(options: SupervisorOptions, thread: EngineThread) {
    this.options = options;
    this.state = this.running(thread);
  }

  static async start(options: SupervisorOptions): Promise<EngineSupervisor> {
    return new EngineSupervisor(options, await options.start());
  }

  /** Ends the engine for good, wherever it is: its folder belongs to somebody else now. */
  abandon(reason: string): void {
    this.closed = true;
    this.abandoned = reason;
    const { state } = this;
    if (state.kind === 'running') state.thread.kill(reason);
    if (state.kind !== 'restarting') this.state = { kind: 'ended', reason };
    this.options.onTrouble(`the embedded database has stopped: ${reason}`);
  }

  /** The running engine's connection. Throws `StoreUnavailable` while there is none: the caller tries again, as with a server. */
  session(): EngineSession {
    const { state } = this;
    if (state.kind === 'running') return state.session;
    const what =
      state.kind === 'restarting' ? 'the embedded database is being restarted' : 'the embedded database has stopped';
    throw new StoreUnavailable(`${what}: ${state.reason}`, { outcome: 'none' });
  }

  thread(): EngineThread | undefined {
    return this.state.kind === 'running' ? this.state.thread : undefined;
  }

  condition(): EngineCondition {
    const { state, restarts, last } = this;
    const recent = last !== undefined && performance.now() - last.atMs < REPORTED_MS ? last : undefined;
    return { down: state.kind === 'running' ? undefined : state.reason, restarts, recentRestart: recent };
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.state.kind === 'restarting') await this.state.done;
    const thread = this.thread();
    this.state = { kind: 'ended', reason: 'it is closed' };
    await thread?.close();
  }

  private running(thread: EngineThread): State {
    const { deadlineMs, maxIdleMs, onNotification } = this.options;
    const session = new EngineSession(thread, {
      deadlineMs,
      maxIdleMs,
      onNotification,
      onLost: (reason) => this.lost(thread, reason),
    });
    return { kind: 'running', thread, session };
  }

  private lost(thread: EngineThread, reason: string): void {
    thread.kill(reason);
    if (this.state.kind !== 'running' || this.state.thread !== thread) return;
    if (!this.options.canRestart || this.closed) {
      this.state = { kind: 'ended', reason: `${reason}; it was kept in memory only, start the process again` };
      return;
    }
    this.last = { at: new Date(), atMs: performance.now(), reason };
    this.restarts += 1;
    this.options.onTrouble(`restarting the embedded database: ${reason}`);
    this.state = { kind: 'restarting', reason, done: this.restart(thread) };
  }

  private async restart(dead: EngineThread): Promise<void> {
    // Until the old thread has ended it may still write: two engines on one folder would destroy it.
    await dead.ended();
    for (let delay = FIRST_DELAY_MS; !this.closed; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
      const failure = await this.startAnew();
      if (failure === undefined) return;
      if (this.closed) break;
      this.options.onTrouble(`the embedded database does not start: ${failure}; trying again in ${delay} ms`);
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
    if (this.abandoned !== undefined) this.state = { kind: 'ended', reason: this.abandoned };
  }

  /** The reason why it failed; undefined once a new engine runs. */
  private async startAnew(): Promise<string | undefined> {
    let thread: EngineThread | undefined;
    try {
      thread = await this.options.start();
      const state = this.running(thread);
      if (state.kind === 'running') await this.options.onRestarted(state.session);
      if (this.abandoned !== undefined) throw new Error(this.abandoned);
      this.state = state;
      this.options.onTrouble('the embedded database runs again');
      return undefined;
    } catch (error: unknown) {
      thread?.kill('it could not be used after its start');
      await thread?.ended();
      return error instanceof Error ? error.message : String(error);
    }
  }
}
