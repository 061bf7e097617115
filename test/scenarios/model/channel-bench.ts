import type { ModelRequest, ToolDefinition } from '@hephaisto/core/model/message';
import type { ModelCall, ModelOutcome } from '@hephaisto/core/ports/model';
import { UNTRACED } from '@hephaisto/core/ports/telemetry';
import { systemClock, systemTimers } from '@hephaisto/operator/adapters/clock/clock';
import type { CallEnd, CallLedger, CallStart, Started } from '@hephaisto/operator/model/call-ledger';
import { type ChannelOptions, createModelChannel } from '@hephaisto/operator/model/channel';
import { createGeminiDialect } from '@hephaisto/operator/model/gemini/dialect';
import { createOpenAiDialect } from '@hephaisto/operator/model/openai/dialect';
import { createTransport } from '@hephaisto/operator/model/transport';
import { startGeminiStandIn } from '../../support/gemini-stand-in.ts';
import type { Script, StandIn } from '../../support/model-script.ts';
import { startOpenAiStandIn } from '../../support/openai-stand-in.ts';

export const WIRES = ['gemini', 'openai'] as const;
export type WireName = (typeof WIRES)[number];

export const LOOK: ToolDefinition = {
  name: 'look',
  description: 'Look at something',
  schema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
};

export const ASK: ModelRequest = {
  system: 'You look into faults.',
  messages: [{ role: 'user', blocks: [{ kind: 'text', text: 'What is wrong?' }] }],
  answer: { kind: 'tools', tools: [LOOK] },
  maxOutputTokens: 1_000,
};

/** A ledger in memory: what began, how it ended. */
export function memoryLedger(refuse?: () => Started | undefined): CallLedger & {
  readonly started: CallStart[];
  readonly ended: CallEnd[];
} {
  const started: CallStart[] = [];
  const ended: CallEnd[] = [];
  return {
    started,
    ended,
    start(call) {
      const refused = refuse?.();
      if (refused !== undefined) return Promise.resolve(refused);
      return Promise.resolve({ kind: 'started', usageId: `usage-${started.push(call)}`, inputEstimate: 10 });
    },
    finish: (end) => Promise.resolve(void ended.push(end)).then(() => 0),
    journal: () => Promise.resolve([]),
  };
}

/** Quick to try again, and as patient as it takes on a busy machine: who wants a stall says how soon. */
export const QUICK: ChannelOptions = {
  model: 'scripted-1',
  stall: { firstByteMs: 10_000, idleMs: 10_000 },
  retry: { tries: 3, firstMs: 5, longestMs: 20 },
  breaker: { failures: 5, openMs: 200 },
  modelMaximum: 4_000,
};

export interface Bench<Ledger> extends AsyncDisposable {
  readonly standIn: StandIn;
  readonly ledger: Ledger;
  call(over?: {
    request?: ModelRequest;
    appended?: ModelCall['appended'];
    signal?: AbortSignal;
    withinMs?: number;
  }): Promise<ModelOutcome>;
}

/** A channel over a real SDK, a real socket and a scripted server, or the one at `url`. */
export async function openBench<Ledger extends CallLedger = ReturnType<typeof memoryLedger>>(
  wire: WireName,
  script: Script,
  over: Partial<ChannelOptions> & {
    readonly maxAnswerBytes?: number;
    readonly turn?: ModelCall['turn'];
    readonly url?: string;
  } = {},
  given?: Ledger,
): Promise<Bench<Ledger>> {
  // Only where none is given is it the kind that none is given for.
  const ledger = given ?? (memoryLedger() as CallLedger as Ledger);
  const turn = over.turn ?? TURN;
  const standIn = await (wire === 'gemini' ? startGeminiStandIn(script) : startOpenAiStandIn(script));
  const transport = createTransport({ maxAnswerBytes: over.maxAnswerBytes ?? 1_000_000 });
  const dialect =
    wire === 'gemini'
      ? createGeminiDialect({ baseUrl: over.url ?? standIn.url, apiKey: 'scripted-key', temperature: 0.2 }, transport)
      : createOpenAiDialect(
          {
            baseUrl: `${over.url ?? standIn.url}/v1`,
            apiKey: 'scripted-key',
            temperature: 0.2,
            json: 'schema',
            limit: 'max_tokens',
          },
          transport,
        );
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const channel = createModelChannel(
    {
      dialect,
      ledger,
      clock: systemClock,
      timers: systemTimers,
      metrics: { count() {}, observe() {}, gauge() {} },
      tracer: UNTRACED,
      log: silent,
      random: () => 0.5,
    },
    { ...QUICK, ...over },
  );
  return {
    standIn,
    ledger,
    call: ({
      request = ASK,
      appended = request.messages,
      signal = new AbortController().signal,
      withinMs = 30_000,
    } = {}) => channel.call({ turn, purpose: 'turn', request, appended, withinMs, signal }),
    async [Symbol.asyncDispose]() {
      transport.close();
      await standIn.close();
    },
  };
}

const TURN = {
  turnId: 'turn',
  investigationId: 'investigation',
  attempt: 1,
  lease: { kind: 'investigation' as const, key: 'investigation', runId: 'run', epoch: 1 },
};
