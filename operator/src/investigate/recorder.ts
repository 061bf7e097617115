import { callKey } from '@hephaisto/core/diagnose/tools';
import { createRedactor } from '@hephaisto/core/evidence/redact';
import { isTainted } from '@hephaisto/core/evidence/taint';
import { storableText } from '@hephaisto/core/evidence/utf8';
import type { Gap } from '@hephaisto/core/finding/finding';
import type { ToolAnswer, ToolCall } from '@hephaisto/core/investigation/investigator';
import type { Clock, Ids, Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { Recorder } from '@hephaisto/core/ports/investigator';
import type { KubeFailure, KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import type { Lease, RequireEpoch } from '@hephaisto/core/ports/leases';
import type { Metrics } from '@hephaisto/core/ports/telemetry';
import { createYield, type YieldToEventLoop } from '../flow/event-loop-turns.ts';
import { capText } from './cap-text.ts';
import { BudgetUsedUp } from './end.ts';
import type { FinishedStep } from './journal.ts';
import { decodeRaw, encodeRaw, type RawBytes, sha256Hex } from './raw-bytes.ts';
import { redactInTurns } from './redact-in-turns.ts';
import { closeStep, insertBlob, type JournalOwner, openStep, type StepResult } from './step-rows.ts';
import type { AnyTool } from './tool.ts';
import type { Toolbox } from './toolbox.ts';

export interface RecorderDeps {
  readonly db: Database;
  readonly ids: Ids;
  readonly timers: Timers;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: Metrics;
  readonly faults: FaultPoints;
  readonly requireEpoch: RequireEpoch;
  readonly reader: KubeReader;
  readonly tools: Toolbox;
}

export interface RecorderOptions {
  readonly owner: JournalOwner;
  readonly lease: Lease;
  /** Namespaces that nobody who investigates may look into. */
  readonly deniedNamespaces: readonly string[];
  readonly callTimeoutMs: number;
  /** What attempts whose owner died had read already. */
  readonly finished: ReadonlyMap<string, FinishedStep>;
  readonly signal: AbortSignal;
}

/** Keeps the texts of the steps for the check of quotations, and which budget has ended the reading. */
export interface RecordingRecorder extends Recorder {
  readonly texts: ReadonlyMap<string, { readonly text: string; readonly tainted: boolean }>;
  usedUp(): 'steps' | 'time' | undefined;
  markUsedUp(budget: 'steps' | 'time'): void;
}

const LONGEST_MESSAGE = 2_048;

type Outcome = StepResult & { readonly value?: unknown; readonly gap?: Gap; readonly raw?: RawBytes };

/**
 * The one way to a tool. For each call, in this order: the budget is charged and the row that announces it committed; the namespace is
 * checked; the read runs, bounded in time; its answer is redacted, turned into text, capped, looked through for orders; row and raw bytes are
 * committed. An identical call is answered from the journal. A tool that throws makes an error step.
 */
export function createRecorder(deps: RecorderDeps, options: RecorderOptions): RecordingRecorder {
  const { owner, lease, signal } = options;
  const answers = new Map<string, Promise<ToolAnswer<unknown>>>();
  const texts = new Map<string, { text: string; tainted: boolean }>();
  let usedUp: 'steps' | 'time' | undefined;

  async function open(call: ToolCall, status: 'running' | 'denied' | 'error'): Promise<string> {
    const id = deps.ids.uuid();
    await deps.db.transaction(async (tx) => {
      await deps.requireEpoch(tx, lease);
      await openStep(tx, owner, { id, tool: call.tool, args: call.args, status });
    });
    await deps.faults.hit('investigate:step-opened');
    return id;
  }

  async function close(stepId: string, tool: string, outcome: Outcome): Promise<ToolAnswer<unknown>> {
    await deps.db.transaction(async (tx) => {
      await deps.requireEpoch(tx, lease);
      await closeStep(tx, stepId, outcome);
      if (outcome.raw !== undefined) await insertBlob(tx, deps.ids.uuid(), stepId, outcome.raw);
    });
    await deps.faults.hit('investigate:step-closed');
    texts.set(stepId, { text: outcome.text, tainted: outcome.tainted });
    deps.metrics.count('investigation_steps_total', { tool, status: outcome.status });
    return {
      stepId,
      text: outcome.text,
      tainted: outcome.tainted,
      ...(outcome.value === undefined ? {} : { value: outcome.value }),
      ...(outcome.gap === undefined ? {} : { gap: outcome.gap }),
    };
  }

  async function perform(call: ToolCall, fresh: boolean): Promise<ToolAnswer<unknown>> {
    const tool = deps.tools.get(call.tool);
    if (tool === undefined) return close(await open(call, 'error'), 'unknown', unknownTool(call, deps.tools));
    const args = tool.schema.safeParse(call.args);
    if (!args.success) {
      const issues = args.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
      return close(await open(call, 'error'), tool.name, failed('error', 'invalid-arguments', issues.join('; ')));
    }
    const namespace = tool.namespaceOf(args.data);
    if (namespace !== undefined && options.deniedNamespaces.includes(namespace)) {
      return close(await open(call, 'denied'), tool.name, denied(tool, call, namespace));
    }
    const stepId = await open(call, 'running');
    return close(stepId, tool.name, await outcomeOf(tool, args.data, call, fresh));
  }

  async function outcomeOf(tool: AnyTool, args: unknown, call: ToolCall, fresh: boolean): Promise<Outcome> {
    try {
      const finished = fresh ? undefined : options.finished.get(callKey(call));
      if (finished !== undefined) return await reused(tool, args, finished, createYield(deps));
      const read = await boundedRead(tool, args);
      return read.kind === 'failure' ? unread(tool, call, read) : await seen(tool, args, read.value, createYield(deps));
    } catch (error: unknown) {
      if (signal.aborted) throw signal.reason;
      const message = error instanceof Error ? error.message : String(error);
      return failed('error', 'tool-threw', `${tool.name} failed by a mistake of ours: ${message}`);
    }
  }

  async function boundedRead(tool: AnyTool, args: unknown): Promise<KubeRead<unknown>> {
    const over = new AbortController();
    const reading = AbortSignal.any([over.signal, signal]);
    const timeout = deps.timers
      .sleep(options.callTimeoutMs, reading)
      .then((): KubeFailure => timedOut(options.callTimeoutMs));
    // Losing the race rejects the sleep; nobody awaits it any more.
    timeout.catch(() => undefined);
    try {
      return await Promise.race([tool.read(deps.reader.until(reading), args, reading), timeout]);
    } finally {
      // A request that nobody waits for would still hold a connection, and the server at work.
      over.abort();
    }
  }

  return {
    texts,
    usedUp: () => usedUp,
    markUsedUp: (budget) => {
      usedUp = budget;
    },
    call(call, { fresh } = { fresh: false }) {
      if (signal.aborted) return Promise.reject(signal.reason);
      const key = callKey(call);
      const known = fresh ? undefined : answers.get(key);
      if (known !== undefined) return known;
      const answer = perform(call, fresh);
      answers.set(key, answer);
      // A call that never became a step may be made again.
      answer.catch((error: unknown) => {
        if (error instanceof BudgetUsedUp) usedUp = error.budget;
        else answers.delete(key);
      });
      return answer;
    },
  };
}

async function seen(
  tool: AnyTool,
  args: unknown,
  answer: unknown,
  yieldToEventLoop: YieldToEventLoop,
): Promise<Outcome> {
  const raw = storable(await redactInTurns(answer, yieldToEventLoop));
  const bytes = await encodeRaw(raw, tool.contentType, yieldToEventLoop);
  return { ...viewed(tool, args, raw), raw: bytes, rawBytes: bytes.byteSize };
}

function storable(raw: unknown): unknown {
  return typeof raw === 'string' ? storableText(raw) : raw;
}

function viewed(tool: AnyTool, args: unknown, raw: unknown): Outcome {
  const { value, text } = tool.view(raw, args);
  const capped = capText(storableText(text), tool.maxBytes);
  return {
    status: 'ok',
    text: capped.text,
    sha256: sha256Hex(capped.text),
    truncated: capped.truncated,
    tainted: isTainted(capped.text),
    value,
  };
}

async function reused(
  tool: AnyTool,
  args: unknown,
  finished: FinishedStep,
  yieldToEventLoop: YieldToEventLoop,
): Promise<Outcome> {
  const { value } = tool.view(await decodeRaw(finished.raw, yieldToEventLoop), args);
  const { text, sha256, truncated, tainted, raw } = finished;
  return { status: 'ok', text, sha256, truncated, tainted, value, raw, rawBytes: raw.byteSize };
}

const GAP_OF: Readonly<Record<KubeFailure['reason'], Gap['reason']>> = {
  forbidden: 'forbidden',
  unauthorized: 'forbidden',
  'not-found': 'not-found',
  invalid: 'not-found',
  conflict: 'unavailable',
  gone: 'expired',
  'too-many-requests': 'unavailable',
  'server-error': 'unavailable',
  timeout: 'timeout',
  cut: 'timeout',
  unsent: 'unavailable',
  malformed: 'malformed',
};

function unread(tool: AnyTool, call: ToolCall, failure: KubeFailure): Outcome {
  const message = redactMessage(failure.message);
  return {
    ...failed(failure.reason === 'timeout' ? 'timeout' : 'error', failure.reason, message),
    gap: gapOf(tool, call, GAP_OF[failure.reason], message),
  };
}

function denied(tool: AnyTool, call: ToolCall, namespace: string): Outcome {
  const message = `namespace ${namespace} is closed to investigations`;
  return { ...failed('denied', 'denied-namespace', message), gap: gapOf(tool, call, 'denied-namespace', message) };
}

function gapOf(tool: AnyTool, call: ToolCall, reason: Gap['reason'], message: string): Gap {
  const words = Object.entries(call.args).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return { source: tool.name, query: words.join(', '), reason, message, wouldHaveTold: tool.wouldHaveTold };
}

function unknownTool(call: ToolCall, tools: Toolbox): Outcome {
  return failed('error', 'unknown-tool', `expected one of ${[...tools.keys()].join(', ')}, found \`${call.tool}\``);
}

function failed(status: 'error' | 'denied' | 'timeout', errorKind: string, message: string): Outcome {
  const text = redactMessage(message);
  return { status, text, sha256: sha256Hex(text), truncated: false, tainted: isTainted(text), errorKind };
}

/** A failure quotes what it failed at, which comes from outside. */
function redactMessage(message: string): string {
  const bounded = message.slice(0, LONGEST_MESSAGE * 2);
  return capText(createRedactor().text(storableText(bounded)), LONGEST_MESSAGE).text;
}

function timedOut(milliseconds: number): KubeFailure {
  return { kind: 'failure', reason: 'timeout', message: `expected an answer within ${milliseconds} ms, found none` };
}
