import type { AnswerForm, ContentBlock, ModelMessage, ModelRequest } from '@hephaisto/core/model/message';
import type OpenAI from 'openai';

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type WireRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

export interface OpenAiOptions {
  readonly temperature: number;
  /** `object` for servers that know no schemas; the schema then stands in the prompt, and the answer is checked all the same. */
  readonly json: 'schema' | 'object';
  /** OpenAI's own server wants the newer name of the limit, most others know only the older. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}

/** The request in the order in which its parts change least, so that what stays the same comes first. */
export function requestOf(model: string, request: ModelRequest, options: OpenAiOptions): WireRequest {
  const { answer, maxOutputTokens } = request;
  const schemaNote =
    answer.kind === 'json' && options.json === 'object'
      ? `\n\nAnswer with one JSON object of this schema and nothing else:\n${JSON.stringify(answer.schema)}`
      : '';
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    temperature: options.temperature,
    ...(options.limit === 'max_tokens' ? { max_tokens: maxOutputTokens } : { max_completion_tokens: maxOutputTokens }),
    ...answerOf(answer, options),
    messages: [{ role: 'system', content: request.system + schemaNote }, ...request.messages.flatMap(messagesOf)],
  };
}

function answerOf(answer: AnswerForm, options: OpenAiOptions): Partial<WireRequest> {
  if (answer.kind === 'json') {
    if (options.json === 'object') return { response_format: { type: 'json_object' } };
    const { name, schema } = answer;
    return { response_format: { type: 'json_schema', json_schema: { name, schema: { ...schema } } } };
  }
  return {
    tools: answer.tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: { ...schema } },
    })),
    ...(answer.only === undefined ? {} : { tool_choice: { type: 'function', function: { name: answer.only } } }),
  };
}

/** Results are messages of their own on this wire, one a call; whatever a person or we said beside them follows. */
function messagesOf(message: ModelMessage): WireMessage[] {
  const text = textOf(message.blocks);
  if (message.role === 'assistant') {
    const calls = message.blocks.flatMap((block) =>
      block.kind === 'tool-call'
        ? [
            {
              id: block.id,
              type: 'function' as const,
              function: { name: block.name, arguments: block.args === undefined ? '{}' : block.raw },
            },
          ]
        : [],
    );
    return [
      { role: 'assistant', content: text === '' ? null : text, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
    ];
  }
  const results = message.blocks.flatMap((block): WireMessage[] =>
    block.kind === 'tool-result' ? [{ role: 'tool', tool_call_id: block.callId, content: block.text }] : [],
  );
  return text === '' ? results : [...results, { role: 'user', content: text }];
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('');
}
