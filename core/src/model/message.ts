/**
 * One piece of a message, in the words of no provider. A `signature` is a provider's opaque mark: kept byte for byte and given back, never
 * read, never shown. `raw` of a call is the arguments' text as the provider sent it, which is what is sent back.
 */
export type ContentBlock =
  | { readonly kind: 'text'; readonly text: string; readonly signature?: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly signature?: string }
  | {
      readonly kind: 'tool-call';
      readonly id: string;
      readonly name: string;
      /** Undefined when the provider's text was no JSON object. */
      readonly args?: Readonly<Record<string, unknown>>;
      readonly raw: string;
      readonly signature?: string;
    }
  | {
      readonly kind: 'tool-result';
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly failed: boolean;
    };
export type ToolCallBlock = Extract<ContentBlock, { kind: 'tool-call' }>;
export type ToolResultBlock = Extract<ContentBlock, { kind: 'tool-result' }>;

/** System text is no message: it stands once, at the head, so that nothing that was read can ever speak with its voice. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly ContentBlock[];
}

/** `schema` is a JSON schema made from the zod schema that also checks the arguments. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What the model may answer with: calls of tools, or one JSON value. Never both in one request, which is why they are one field. `only`
 * names the single tool that is served; the palette on the wire stays the same, so that the prefix does.
 */
export type AnswerForm =
  | { readonly kind: 'tools'; readonly tools: readonly ToolDefinition[]; readonly only?: string }
  | { readonly kind: 'json'; readonly name: string; readonly schema: JsonSchema };

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly answer: AnswerForm;
  readonly maxOutputTokens: number;
}

/** Why a model stopped, in one vocabulary. `refused` is the provider's own safety block. */
export type StopReason = 'end' | 'tool-calls' | 'max-tokens' | 'refused' | 'malformed' | 'other';

/** Tokens as the provider counts them. `input` includes what was read from or written to its cache; `output` includes thinking. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelAnswer {
  readonly blocks: readonly ContentBlock[];
  readonly stop: StopReason;
  /** The provider's own word for it. */
  readonly stopWord: string;
  readonly usage: TokenUsage;
}

export const NO_TOKENS: TokenUsage = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

export function toolCalls(message: Pick<ModelMessage, 'blocks'>): readonly ToolCallBlock[] {
  return message.blocks.filter((block) => block.kind === 'tool-call');
}

/** What was said in words, without thinking. */
export function spokenText(message: Pick<ModelMessage, 'blocks'>): string {
  return message.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('');
}

/** The message as the provider must see it again: valid text, ids that pair each call with its result, whatever was sent to us. */
export function normaliseAnswer(answer: ModelAnswer, place: string): ModelAnswer {
  const seen = new Set<string>();
  const blocks = answer.blocks.map((block, index): ContentBlock => {
    if (block.kind !== 'tool-call')
      return block.kind === 'tool-result' ? block : { ...block, text: wellFormed(block.text) };
    const usable = /^[\w-]{1,64}$/.test(block.id) && !seen.has(block.id);
    const id = usable ? block.id : `hcall_${place}_${index}`;
    seen.add(id);
    return { ...block, id, name: wellFormed(block.name).slice(0, 64), raw: wellFormed(block.raw) };
  });
  return { ...answer, blocks };
}

function wellFormed(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
