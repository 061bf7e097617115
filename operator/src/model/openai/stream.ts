import {
  type ContentBlock,
  type ModelAnswer,
  NO_TOKENS,
  type StopReason,
  type TokenUsage,
} from '@hephaisto/core/model/message';
import type OpenAI from 'openai';
import { dialectError } from '../dialect-error.ts';

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type Delta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta;

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: 'end',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'max-tokens',
  content_filter: 'refused',
};

interface OpenCall {
  id: string;
  name: string;
  raw: string;
}

interface Draft {
  text: string;
  thinking: string;
  refusal: string;
  readonly calls: Map<number, OpenCall>;
}

/** Puts the chunks of a stream together. Rejects when the stream ended without saying why. */
export async function collect(chunks: AsyncIterable<Chunk>): Promise<ModelAnswer> {
  const draft: Draft = { text: '', thinking: '', refusal: '', calls: new Map() };
  let usage: TokenUsage = NO_TOKENS;
  let stopWord: string | undefined;
  for await (const chunk of chunks) {
    if (chunk.usage !== undefined && chunk.usage !== null) usage = usageOf(chunk.usage);
    const choice = chunk.choices?.[0];
    if (choice?.delta !== undefined && choice.delta !== null) addDelta(draft, choice.delta);
    if (choice?.finish_reason !== undefined && choice.finish_reason !== null) stopWord = choice.finish_reason;
  }
  if (stopWord === undefined) throw dialectError('cut', 'the answer ended without saying that it was whole');
  const blocks = blocksOf(draft);
  const stop = draft.refusal === '' ? (STOPS[stopWord] ?? 'other') : 'refused';
  const called = stop === 'end' && draft.calls.size > 0;
  return { blocks, stop: called ? 'tool-calls' : stop, stopWord, usage };
}

function addDelta(draft: Draft, delta: Delta): void {
  draft.text += delta.content ?? '';
  draft.refusal += delta.refusal ?? '';
  // Not of the standard, but what servers that think send it as.
  const { reasoning_content: thinking } = delta as { reasoning_content?: unknown };
  if (typeof thinking === 'string') draft.thinking += thinking;
  for (const piece of delta.tool_calls ?? []) {
    const call = draft.calls.get(piece.index) ?? { id: '', name: '', raw: '' };
    call.id = piece.id ?? call.id;
    call.name += piece.function?.name ?? '';
    call.raw += piece.function?.arguments ?? '';
    draft.calls.set(piece.index, call);
  }
}

function blocksOf(draft: Draft): ContentBlock[] {
  return [
    ...(draft.thinking === '' ? [] : [{ kind: 'thinking' as const, text: draft.thinking }]),
    ...(draft.text === '' ? [] : [{ kind: 'text' as const, text: draft.text }]),
    ...[...draft.calls.values()].map(({ id, name, raw }): ContentBlock => {
      const args = objectOf(raw === '' ? '{}' : raw);
      return { kind: 'tool-call', id, name, raw: raw === '' ? '{}' : raw, ...(args === undefined ? {} : { args }) };
    }),
  ];
}

function objectOf(raw: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function usageOf(usage: OpenAI.CompletionUsage): TokenUsage {
  return {
    input: usage.prompt_tokens ?? 0,
    output: usage.completion_tokens ?? 0,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    cacheRead: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWrite: 0,
  };
}
