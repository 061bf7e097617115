import type { GenerateContentResponse, GenerateContentResponseUsageMetadata, Part } from '@google/genai';
import {
  type ContentBlock,
  type ModelAnswer,
  NO_TOKENS,
  type StopReason,
  type TokenUsage,
} from '@hephaisto/core/model/message';
import { dialectError } from '../dialect-error.ts';

const STOPS: Readonly<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'max-tokens',
  SAFETY: 'refused',
  RECITATION: 'refused',
  LANGUAGE: 'refused',
  BLOCKLIST: 'refused',
  PROHIBITED_CONTENT: 'refused',
  SPII: 'refused',
  IMAGE_SAFETY: 'refused',
  MALFORMED_FUNCTION_CALL: 'malformed',
  UNEXPECTED_TOOL_CALL: 'malformed',
  TOO_MANY_TOOL_CALLS: 'malformed',
};

/** Puts the chunks of a stream together. Rejects when the stream ended without saying why. */
export async function collect(chunks: AsyncIterable<GenerateContentResponse>): Promise<ModelAnswer> {
  const blocks: ContentBlock[] = [];
  let usage: TokenUsage = NO_TOKENS;
  let stopWord: string | undefined;
  for await (const chunk of chunks) {
    if (chunk.usageMetadata !== undefined) usage = usageOf(chunk.usageMetadata);
    const blocked = chunk.promptFeedback?.blockReason;
    if (blocked !== undefined) return { blocks, stop: 'refused', stopWord: `prompt ${blocked}`, usage };
    const candidate = chunk.candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) addPart(blocks, part);
    if (candidate?.finishReason !== undefined) stopWord = candidate.finishReason;
  }
  if (stopWord === undefined) throw dialectError('cut', 'the answer ended without saying that it was whole');
  const stop = STOPS[stopWord] ?? 'other';
  const called = stop === 'end' && blocks.some((block) => block.kind === 'tool-call');
  return { blocks, stop: called ? 'tool-calls' : stop, stopWord, usage };
}

function addPart(blocks: ContentBlock[], part: Part): void {
  const signature = part.thoughtSignature === undefined ? {} : { signature: part.thoughtSignature };
  if (part.functionCall !== undefined) {
    const { id = '', name = '', args = {} } = part.functionCall;
    blocks.push({ kind: 'tool-call', id, name, args, raw: JSON.stringify(args), ...signature });
    return;
  }
  if (part.text === undefined) return;
  const kind = part.thought === true ? 'thinking' : 'text';
  const last = blocks.at(-1);
  // A signature belongs to the part that bears it; pieces without one are pieces of the same text.
  if (last?.kind === kind && last.signature === undefined && part.thoughtSignature === undefined)
    blocks[blocks.length - 1] = { ...last, text: last.text + part.text };
  else blocks.push({ kind, text: part.text, ...signature });
}

function usageOf(meta: GenerateContentResponseUsageMetadata): TokenUsage {
  const reasoning = meta.thoughtsTokenCount ?? 0;
  return {
    input: meta.promptTokenCount ?? 0,
    output: (meta.candidatesTokenCount ?? 0) + reasoning,
    reasoning,
    cacheRead: meta.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
  };
}
