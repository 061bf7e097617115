import { type Content, FunctionCallingConfigMode, type GenerateContentConfig, type Part } from '@google/genai';
import type { AnswerForm, ContentBlock, ModelMessage, ModelRequest } from '@hephaisto/core/model/message';

/** Ids that were minted here are not sent: this provider pairs calls by name and place, and knows only ids of its own. */
const OWN_ID = /^hcall_/;

export function contentsOf(messages: readonly ModelMessage[]): Content[] {
  return messages.map((message) => ({
    role: message.role === 'assistant' ? 'model' : 'user',
    parts: message.blocks.flatMap(partOf),
  }));
}

function partOf(block: ContentBlock): Part[] {
  switch (block.kind) {
    case 'text':
      return [{ text: block.text, ...signed(block.signature) }];
    case 'thinking':
      // Thinking goes back only where the provider has signed it; a summary for readers is no part of the conversation.
      return block.signature === undefined ? [] : [{ text: block.text, thought: true, ...signed(block.signature) }];
    case 'tool-call':
      return [
        { functionCall: { ...idOf(block.id), name: block.name, args: { ...block.args } }, ...signed(block.signature) },
      ];
    case 'tool-result':
      return [
        {
          functionResponse: {
            ...idOf(block.callId),
            name: block.name,
            response: block.failed ? { error: block.text } : { output: block.text },
          },
        },
      ];
  }
}

function signed(signature: string | undefined): Pick<Part, 'thoughtSignature'> {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function idOf(id: string): { id?: string } {
  return OWN_ID.test(id) ? {} : { id };
}

export interface GeminiOptions {
  readonly temperature: number;
  /** Tokens that thinking may take; -1 lets the model decide, absent sends nothing. */
  readonly thinkingBudget?: number;
}

export function configOf(request: ModelRequest, options: GeminiOptions): GenerateContentConfig {
  return {
    systemInstruction: request.system,
    temperature: options.temperature,
    maxOutputTokens: request.maxOutputTokens,
    ...(options.thinkingBudget === undefined ? {} : { thinkingConfig: { thinkingBudget: options.thinkingBudget } }),
    ...answerOf(request.answer),
  };
}

/** Tools or a response schema: the provider refuses both together, and the request type holds only one. */
function answerOf(answer: AnswerForm): GenerateContentConfig {
  if (answer.kind === 'json') return { responseMimeType: 'application/json', responseJsonSchema: answer.schema };
  const functionDeclarations = answer.tools.map(({ name, description, schema }) => ({
    name,
    description,
    parametersJsonSchema: schema,
  }));
  return {
    tools: [{ functionDeclarations }],
    ...(answer.only === undefined
      ? {}
      : {
          toolConfig: {
            functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: [answer.only] },
          },
        }),
  };
}
