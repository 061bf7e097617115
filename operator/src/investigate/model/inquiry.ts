import type { ModelNote, ModelNoteReason } from '@hephaisto/core/investigation/investigator';
import { CONCLUDE, type ConcludeArgs } from '@hephaisto/core/model/conclude';
import type { ModelFailure } from '@hephaisto/core/model/failure';
import { headText } from '@hephaisto/core/model/head';
import { type ContentBlock, type ModelMessage, type ModelRequest, toolCalls } from '@hephaisto/core/model/message';
import { estimateTokens } from '@hephaisto/core/model/tokens';
import type { Clock } from '@hephaisto/core/ports/clock';
import type { InvestigationRun } from '@hephaisto/core/ports/investigator';
import type { CallPurpose, ModelChannel, ModelOutcome } from '@hephaisto/core/ports/model';
import { answerCalls } from './answer-calls.ts';
import { checkConclusion } from './check-conclusion.ts';
import type { LabelledRecorder } from './labelled-recorder.ts';

export interface InquiryLimits {
  /** How long one call may take, with its tries. */
  readonly callMs: number;
  /** Kept back from the investigation's time for the concluding call. */
  readonly graceMs: number;
  readonly maxOutputTokens: number;
  readonly contextTokens: number;
}

export interface InquiryDeps {
  readonly channel: ModelChannel;
  readonly clock: Clock;
}

export type InquiryEnd =
  | { readonly kind: 'concluded'; readonly conclusion: ConcludeArgs; readonly exhausted: ModelNote['exhausted'] }
  | {
      readonly kind: 'nothing';
      readonly reason: ModelNoteReason;
      readonly message: string;
      readonly exhausted: ModelNote['exhausted'];
    };

/** Calls that taught nothing after which the model is asked to conclude. */
const MOST_WASTED = 6;
/** Messages in a row that call nothing. */
const MOST_SILENT = 2;
/** Conclusions that are sent back: one for its form, one for its quotations. */
const MOST_REJECTED = 2;

type Over = { readonly kind: 'over'; readonly end: InquiryEnd };
type Next = { readonly kind: 'say'; readonly blocks: readonly ContentBlock[] } | Over;
type Turn = NonNullable<InvestigationRun['turn']>;

/**
 * One conversation with a model about one incident, from its first message to `conclude`. All that decides how it goes on is in the messages,
 * so that who takes it up from the journal goes on where it stood.
 */
export class Inquiry {
  private readonly deps: InquiryDeps;
  private readonly limits: InquiryLimits;
  private readonly run: InvestigationRun;
  private readonly turn: Turn;
  private readonly recorder: LabelledRecorder;
  private readonly signal: AbortSignal;
  private messages: ModelMessage[] = [];
  /** How many of the messages an answered call has carried. */
  private carried = 0;
  private readonly shown = new Set<string>();
  private exhausted: ModelNote['exhausted'];
  private wasted = 0;
  private silent = 0;
  private rejected = 0;
  private graceGiven = false;
  private standing: ConcludeArgs | undefined;

  constructor(
    deps: InquiryDeps,
    limits: InquiryLimits,
    run: InvestigationRun & { readonly turn: Turn },
    recorder: LabelledRecorder,
    signal: AbortSignal,
  ) {
    this.deps = deps;
    this.limits = limits;
    this.run = run;
    this.turn = run.turn;
    this.recorder = recorder;
    this.signal = signal;
  }

  async conduct(firstMessage: string): Promise<InquiryEnd> {
    let answer = await this.restore(firstMessage);
    for (;;) {
      if (answer === undefined) {
        const asked = await this.ask();
        if (asked.kind === 'over') return asked.end;
        answer = asked.answer;
      }
      const next = await this.respond(answer);
      answer = undefined;
      if (next.kind === 'over') return next.end;
      this.messages.push({ role: 'user', blocks: next.blocks });
    }
  }

  /** Takes up what the journal holds; gives the last answer back where nothing has followed it yet. */
  private async restore(firstMessage: string): Promise<ModelMessage | undefined> {
    const journal = await this.deps.channel.journal(this.turn.id);
    const last = journal.at(-1);
    if (last === undefined) {
      this.messages = [{ role: 'user', blocks: [{ kind: 'text', text: firstMessage }] }];
      return undefined;
    }
    for (const { appended, answer } of journal) {
      this.messages.push(...appended, answer);
      // Steps belong to an attempt: what was read is read again from the journal, so that it can be cited in this one.
      if (answer !== last.answer) await answerCalls(readsIn(answer), this.recorder, this.shown);
    }
    this.carried = this.messages.length;
    return last.answer;
  }

  private async ask(): Promise<{ readonly kind: 'answer'; readonly answer: ModelMessage } | Over> {
    const softMs = this.run.endsAtMs - this.limits.graceMs - this.nowMs();
    if (softMs <= 0) this.exhausted ??= 'time';
    const grace = this.exhausted !== undefined || this.wasted >= MOST_WASTED;
    if (grace && this.graceGiven) return over(this.nothing('stalled', 'the concluding call brought no conclusion'));
    const outcome = grace
      ? await this.askForConclusion()
      : await this.send('turn', Math.min(this.limits.callMs, softMs));
    if (outcome.kind === 'answer') {
      const { answer } = outcome;
      if (answer.stop === 'refused')
        return over(this.nothing('refused', `the provider refused to answer (${answer.stopWord.slice(0, 80)})`));
      const message: ModelMessage = { role: 'assistant', blocks: answer.blocks };
      this.messages.push(message);
      this.carried = this.messages.length;
      return { kind: 'answer', answer: message };
    }
    const cut = this.cutBy(outcome);
    if (cut === undefined || grace || this.carried === 0) return over(this.failed(outcome));
    this.exhausted = cut;
    return this.ask();
  }

  /** Which of the investigation's own limits ended a call, where it was one: then there is one more, to conclude. */
  private cutBy(failure: ModelFailure): ModelNote['exhausted'] {
    if (failure.reason === 'deadline')
      return this.run.endsAtMs - this.limits.graceMs <= this.nowMs() ? 'time' : undefined;
    if (failure.budget === 'budget-investigation') return 'usd';
    return failure.budget === 'budget-calls' ? 'calls' : undefined;
  }

  private async askForConclusion(): Promise<ModelOutcome> {
    this.graceGiven = true;
    const why =
      this.exhausted === undefined
        ? 'Asking the same again leads nowhere'
        : `The budget of ${this.exhausted} is used up`;
    const text = `${why}: nothing more is read. Call ${CONCLUDE} now, with what stands in the steps above.`;
    const last = this.messages.at(-1);
    // Two messages of one role in a row are no conversation: what is to be said joins the last.
    if (last?.role === 'user' && this.carried < this.messages.length)
      this.messages[this.messages.length - 1] = { ...last, blocks: [...last.blocks, { kind: 'text', text }] };
    else this.messages.push({ role: 'user', blocks: [{ kind: 'text', text }] });
    return this.send('grace', Math.max(1, this.run.endsAtMs - this.nowMs() - 500));
  }

  private async send(purpose: CallPurpose, withinMs: number): Promise<ModelOutcome> {
    const request: ModelRequest = {
      system: headText(this.turn.head),
      messages: this.messages,
      answer: { kind: 'tools', tools: this.turn.tools, ...(purpose === 'grace' ? { only: CONCLUDE } : {}) },
      maxOutputTokens: this.limits.maxOutputTokens,
    };
    const room = this.limits.contextTokens - this.limits.maxOutputTokens;
    const tokens = estimateTokens(JSON.stringify([request.system, this.messages, this.turn.tools]));
    if (tokens > room)
      return {
        kind: 'failure',
        reason: 'context-too-long',
        message: `the conversation has about ${tokens} tokens, the model takes ${room}`,
      };
    const { investigationId, attempt, lease } = this.run;
    return this.deps.channel.call({
      turn: { turnId: this.turn.id, investigationId, attempt, lease },
      purpose,
      request,
      appended: this.messages.slice(this.carried),
      withinMs,
      signal: this.signal,
    });
  }

  private async respond(answer: ModelMessage): Promise<Next> {
    const calls = toolCalls(answer);
    const [only] = calls;
    if (only === undefined) return this.nudge();
    this.silent = 0;
    if (calls.length === 1 && only.name === CONCLUDE) {
      const checked = checkConclusion(only, this.recorder);
      if (checked.kind === 'concluded') return over(this.concluded(checked.conclusion));
      this.standing = checked.standing ?? this.standing;
      this.rejected += 1;
      if (this.rejected >= MOST_REJECTED || this.graceGiven) return over(this.withWhatStands());
      const { id: callId, name } = only;
      return { kind: 'say', blocks: [{ kind: 'tool-result', callId, name, text: checked.text, failed: true }] };
    }
    if (this.graceGiven)
      return over(this.nothing('stalled', 'the model went on reading when it was asked to conclude'));
    const answered = await answerCalls(calls, this.recorder, this.shown);
    this.wasted += answered.wasted;
    if (answered.usedUp !== undefined) this.exhausted ??= answered.usedUp;
    return { kind: 'say', blocks: answered.results };
  }

  private nudge(): Next {
    this.silent += 1;
    if (this.silent >= MOST_SILENT || this.graceGiven)
      return over(this.nothing('stalled', `the model called nothing ${this.silent} times in a row`));
    return {
      kind: 'say',
      blocks: [{ kind: 'text', text: `Words alone are not kept. Read with a tool, or call ${CONCLUDE}.` }],
    };
  }

  private concluded(conclusion: ConcludeArgs): InquiryEnd {
    return { kind: 'concluded', conclusion, exhausted: this.exhausted };
  }

  /** A conclusion whose quotations do not all stand is kept as it is: the check that follows drops what does not, and shows it dropped. */
  private withWhatStands(): InquiryEnd {
    return this.standing === undefined
      ? this.nothing('invalid-conclusion', 'the model’s conclusion did not fit the schema twice')
      : this.concluded(this.standing);
  }

  private failed(failure: ModelFailure): InquiryEnd {
    const reason = NOTE_OF[failure.reason] ?? 'unavailable';
    return this.nothing(reason, failure.message);
  }

  private nothing(reason: ModelNoteReason, message: string): InquiryEnd {
    return { kind: 'nothing', reason, message, exhausted: this.exhausted };
  }

  private nowMs(): number {
    return this.deps.clock.monotonicMs();
  }
}

const NOTE_OF: Readonly<Partial<Record<ModelFailure['reason'], ModelNoteReason>>> = {
  'refused-budget': 'over-budget',
  truncated: 'truncated',
  'context-too-long': 'context-overflow',
};

function over(end: InquiryEnd): Over {
  return { kind: 'over', end };
}

function readsIn(answer: ModelMessage) {
  return toolCalls(answer).filter((block) => block.name !== CONCLUDE);
}
