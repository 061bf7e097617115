import { afterCall, askBreaker, type BreakerLimits, type BreakerState, CLOSED } from '@hephaisto/core/model/breaker';
import { type FailureReason, judgeRetry, type ModelFailure } from '@hephaisto/core/model/failure';
import {
  type ModelAnswer,
  type ModelRequest,
  NO_TOKENS,
  normaliseAnswer,
  type TokenUsage,
} from '@hephaisto/core/model/message';
import { tokensOfBytes } from '@hephaisto/core/model/tokens';
import type { Clock, Timers } from '@hephaisto/core/ports/clock';
import type { ModelCall, ModelChannel, ModelOutcome } from '@hephaisto/core/ports/model';
import type { ModelDialect } from '@hephaisto/core/ports/model-dialect';
import type { Logger, Metrics, Tracer } from '@hephaisto/core/ports/telemetry';
import type { CallEnd, CallLedger } from './call-ledger.ts';
import { DialectError } from './dialect-error.ts';
import { StallError, type StallLimits, watchForStalls } from './stall.ts';

export interface ChannelDeps {
  readonly dialect: ModelDialect;
  readonly ledger: CallLedger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly log: Logger;
  /** 0 to 1. */
  readonly random: () => number;
}

export interface ChannelOptions {
  readonly model: string;
  readonly stall: StallLimits;
  readonly retry: { readonly tries: number; readonly firstMs: number; readonly longestMs: number };
  readonly breaker: BreakerLimits;
  /** The longest answer that the model can give. */
  readonly modelMaximum: number;
}

type Tried = { readonly kind: 'answer'; readonly answer: ModelAnswer } | ModelFailure;

/** The one way to a model: a breaker, counted tries, limits on silence, one longer try for an answer that was cut off. */
export function createModelChannel(deps: ChannelDeps, options: ChannelOptions): ModelChannel {
  const { dialect, ledger, clock, timers } = deps;
  let breaker: BreakerState = CLOSED;
  const nowMs = () => clock.monotonicMs();

  async function call(wanted: ModelCall): Promise<ModelOutcome> {
    const endsAt = nowMs() + wanted.withinMs;
    let request = wanted.request;
    for (let tried = 1; ; tried += 1) {
      const leftMs = endsAt - nowMs();
      const outcome = await tryOnce({ ...wanted, request }, leftMs);
      if (outcome.kind === 'answer' && outcome.answer.stop !== 'max-tokens') return outcome;
      if (outcome.kind === 'answer') {
        const longer = Math.max(request.maxOutputTokens, options.modelMaximum);
        if (longer === request.maxOutputTokens) return truncated(request);
        request = { ...request, maxOutputTokens: longer };
        continue;
      }
      const limits = { ...options.retry, leftMs: endsAt - nowMs() };
      const verdict = judgeRetry(outcome, tried, limits, deps.random());
      if (verdict.kind === 'give-up') return { ...outcome, message: verdict.message };
      deps.log.info('a call of the model is tried again', { reason: outcome.reason, afterMs: verdict.afterMs });
      await timers.sleep(verdict.afterMs, wanted.signal);
    }
  }

  async function tryOnce(wanted: ModelCall, leftMs: number): Promise<Tried> {
    wanted.signal.throwIfAborted();
    if (leftMs <= 0) return failure('deadline', 'no time is left for the call');
    const asked = askBreaker(breaker, nowMs());
    if (asked.kind === 'refuse') return failure('refused-breaker', asked.message);
    breaker = asked.state;
    const one = new OneTry(deps, options, wanted, leftMs);
    const settled = await one.run();
    breaker = afterCall(breaker, settled.word, nowMs(), options.breaker);
    if (settled.kind === 'thrown') throw settled.error;
    return settled.outcome;
  }

  return {
    identity: { provider: dialect.provider, model: options.model, host: dialect.host },
    call: (wanted) =>
      deps.tracer.span(
        `chat ${options.model}`,
        {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': dialect.provider,
          'gen_ai.request.model': options.model,
          'gen_ai.request.max_tokens': wanted.request.maxOutputTokens,
          'gen_ai.conversation.id': wanted.turn.turnId,
        },
        () => call(wanted),
      ),
    journal: (turnId) => ledger.journal(turnId),
  };
}

type Settled =
  | { readonly kind: 'outcome'; readonly outcome: Tried; readonly word: 'answered' | FailureReason }
  | { readonly kind: 'thrown'; readonly error: unknown; readonly word: 'aborted' | FailureReason };

/** One request: its row, its silence, its end. */
class OneTry {
  private readonly deps: ChannelDeps;
  private readonly options: ChannelOptions;
  private readonly call: ModelCall;
  private readonly leftMs: number;
  private started: { readonly usageId: string; readonly inputEstimate: number } | undefined;
  private refusal: ModelFailure | undefined;
  /** What the journal threw: the SDKs wrap it beyond recognition. */
  private journalError: unknown;
  private sentAt = 0;
  private firstByteMs: number | undefined;

  constructor(deps: ChannelDeps, options: ChannelOptions, call: ModelCall, leftMs: number) {
    this.deps = deps;
    this.options = options;
    this.call = call;
    this.leftMs = leftMs;
  }

  async run(): Promise<Settled> {
    const { dialect, timers } = this.deps;
    const watch = watchForStalls(timers, this.options.stall, this.leftMs);
    try {
      const answer = await dialect.ask(this.options.model, this.call.request, {
        signal: AbortSignal.any([this.call.signal, watch.signal]),
        send: async (body) => {
          await this.begin(body);
          watch.sent();
        },
        heard: () => {
          this.firstByteMs ??= this.now() - this.sentAt;
          watch.heard();
        },
      });
      watch.stop();
      return await this.answered(answer);
    } catch (error: unknown) {
      watch.stop();
      return this.failed(error, watch.signal);
    }
  }

  private async begin(body: Uint8Array): Promise<void> {
    const { turn, purpose, appended, request } = this.call;
    try {
      const started = await this.deps.ledger.start({
        turn,
        purpose,
        appended,
        body,
        maxOutputTokens: request.maxOutputTokens,
      });
      if (started.kind === 'refused')
        this.refusal = { ...failure('refused-budget', started.message), budget: started.reason };
      else this.started = started;
    } catch (error: unknown) {
      this.journalError = error;
      throw error;
    }
    if (this.refusal !== undefined) throw new DialectError(this.refusal);
    this.sentAt = this.now();
  }

  private async answered(raw: ModelAnswer): Promise<Settled> {
    const { started } = this;
    if (started === undefined) throw new Error('expected a call that was begun, found an answer without one');
    const answer = normaliseAnswer(raw, started.usageId.slice(-8));
    const usage = answer.usage.input === 0 ? estimated(started.inputEstimate, answer) : answer.usage;
    const truncatedAnswer = answer.stop === 'max-tokens';
    try {
      const end = { usage, ...(truncatedAnswer ? {} : { answer }) };
      await this.finish(started.usageId, truncatedAnswer ? 'truncated' : 'ok', end);
    } catch (error: unknown) {
      return { kind: 'thrown', error, word: 'aborted' };
    }
    return { kind: 'outcome', outcome: { kind: 'answer', answer: { ...answer, usage } }, word: 'answered' };
  }

  private async failed(error: unknown, stalled: AbortSignal): Promise<Settled> {
    if (this.journalError !== undefined) return { kind: 'thrown', error: this.journalError, word: 'aborted' };
    if (this.refusal !== undefined) return { kind: 'outcome', outcome: this.refusal, word: this.refusal.reason };
    if (this.call.signal.aborted) {
      // Whoever stops must not wait for us, and what could not be written the reaper finds.
      await this.end('aborted', {}).catch(() => undefined);
      return { kind: 'thrown', error: this.call.signal.reason, word: 'aborted' };
    }
    const outcome = failureOf(error, stalled);
    this.deps.metrics.count('llm_errors_total', { reason: outcome.reason });
    try {
      const status = outcome.status === undefined ? {} : { httpStatus: outcome.status };
      const stall = outcome.reason.startsWith('stalled') || outcome.reason === 'deadline';
      await this.end(stall ? 'stalled' : 'error', { errorKind: outcome.reason, ...status });
    } catch (journalError: unknown) {
      return { kind: 'thrown', error: journalError, word: outcome.reason };
    }
    return { kind: 'outcome', outcome, word: outcome.reason };
  }

  /** A try without an answer: a server that refused it took nothing; one that was cut off may charge what it read. */
  private async end(outcome: CallEnd['outcome'], end: Partial<CallEnd>): Promise<void> {
    if (this.started === undefined) return;
    const refused = end.httpStatus !== undefined || end.errorKind === 'unreachable';
    const usage = refused ? NO_TOKENS : { ...NO_TOKENS, input: this.started.inputEstimate };
    await this.finish(this.started.usageId, outcome, { ...end, usage });
  }

  private async finish(
    usageId: string,
    outcome: CallEnd['outcome'],
    end: Partial<CallEnd> & { readonly usage: TokenUsage },
  ): Promise<void> {
    const { ledger, metrics } = this.deps;
    const cost = await ledger.finish({
      usageId,
      turn: this.call.turn,
      outcome,
      ...(this.firstByteMs === undefined ? {} : { firstByteMs: Math.round(this.firstByteMs) }),
      ...end,
    });
    metrics.count('llm_tokens_total', { kind: 'input' }, end.usage.input);
    metrics.count('llm_tokens_total', { kind: 'output' }, end.usage.output);
    metrics.count('llm_tokens_total', { kind: 'cache-read' }, end.usage.cacheRead);
    metrics.count('llm_cost_total', { currency: 'USD' }, cost);
    metrics.observe('llm_request_duration_seconds', (this.now() - this.sentAt) / 1_000, { outcome });
  }

  private now(): number {
    return this.deps.clock.monotonicMs();
  }
}

function failureOf(error: unknown, stalled: AbortSignal): ModelFailure {
  if (stalled.aborted && stalled.reason instanceof StallError)
    return failure(stalled.reason.limit, `the model's server stalled: ${stalled.reason.message}`);
  if (error instanceof DialectError) return error.failure;
  return failure('malformed', error instanceof Error ? error.message : String(error));
}

/** A server that counts nothing is counted for: a call must never be free by silence. */
function estimated(inputEstimate: number, answer: ModelAnswer): TokenUsage {
  const bytes = answer.blocks.reduce((sum, block) => sum + ('text' in block ? block.text.length : block.raw.length), 0);
  return { ...NO_TOKENS, input: inputEstimate, output: tokensOfBytes(bytes) };
}

function truncated(request: ModelRequest): ModelFailure {
  return failure(
    'truncated',
    `the answer was cut off at ${request.maxOutputTokens} tokens, the most the model can give`,
  );
}

function failure(reason: FailureReason, message: string): ModelFailure {
  return { kind: 'failure', reason, message };
}
