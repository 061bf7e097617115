import { z } from 'zod';
import type { Script, ScriptPart, ScriptStop, SeenRequest, SeenTurn, StandIn } from './model-script.ts';
import { cutInto, startStandIn, type Wire } from './stand-in-server.ts';

const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  functionCall: z.looseObject({ name: z.string(), args: z.unknown().optional() }).optional(),
  functionResponse: z.looseObject({ name: z.string(), response: z.record(z.string(), z.unknown()) }).optional(),
});
const body = z.looseObject({
  contents: z.array(z.looseObject({ role: z.enum(['user', 'model']), parts: z.array(part) })),
  systemInstruction: z.looseObject({ parts: z.array(part) }).optional(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })) })).optional(),
  toolConfig: z
    .looseObject({ functionCallingConfig: z.looseObject({ allowedFunctionNames: z.array(z.string()).optional() }) })
    .optional(),
  generationConfig: z
    .looseObject({ maxOutputTokens: z.number().optional(), responseJsonSchema: z.unknown().optional() })
    .optional(),
});
type Body = z.infer<typeof body>;

const STOPS: Readonly<Record<Exclude<ScriptStop, 'none'>, string>> = {
  end: 'STOP',
  calls: 'STOP',
  length: 'MAX_TOKENS',
  safety: 'SAFETY',
  malformed: 'MALFORMED_FUNCTION_CALL',
};

/** A server that speaks Gemini's streaming wire. */
export function startGeminiStandIn(script: Script): Promise<StandIn> {
  return startStandIn(WIRE, script);
}

const WIRE: Wire = {
  read: (path, headers, raw) => readRequest(path, headers, raw),
  pieces(reply, counted) {
    const parts = reply.parts.flatMap((item) => partsOf(item, reply.pieces ?? 1));
    const chunks = parts.map((item) => ({ candidates: [{ content: { role: 'model', parts: [item] }, index: 0 }] }));
    const output = reply.outputTokens ?? Math.ceil(JSON.stringify(parts).length / 4);
    const thinking = reply.parts.some((item) => 'thinking' in item) ? 7 : 0;
    const usageMetadata = {
      promptTokenCount: counted.input,
      cachedContentTokenCount: counted.cached,
      candidatesTokenCount: output,
      thoughtsTokenCount: thinking,
      totalTokenCount: counted.input + output + thinking,
    };
    const stop = reply.stop ?? 'end';
    const end = {
      candidates: [
        { content: { role: 'model', parts: [] }, index: 0, ...(stop === 'none' ? {} : { finishReason: STOPS[stop] }) },
      ],
      ...(reply.withoutUsage === true ? {} : { usageMetadata }),
    };
    return [...chunks, end].map(event);
  },
  blocked: (counted) => [
    event({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: counted.input },
    }),
  ],
  textPiece: (text) => event({ candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }] }),
  refusal: (status) =>
    JSON.stringify({
      error: {
        code: status,
        message: `scripted refusal ${status}`,
        status: 'SCRIPTED',
        ...(status === 429
          ? { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.05s' }] }
          : {}),
      },
    }),
};

function event(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}

function partsOf(item: ScriptPart, pieces: number): unknown[] {
  if ('text' in item) return cutInto(item.text, pieces).map((text) => ({ text }));
  if ('thinking' in item)
    return [
      {
        text: item.thinking,
        thought: true,
        ...(item.signature === undefined ? {} : { thoughtSignature: item.signature }),
      },
    ];
  const args: unknown = item.raw === undefined ? (item.args ?? {}) : safeJson(item.raw);
  return [
    {
      functionCall: { ...(item.id === undefined ? {} : { id: item.id }), name: item.call, args },
      ...(item.signature === undefined ? {} : { thoughtSignature: item.signature }),
    },
  ];
}

function safeJson(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return { broken: raw };
  }
}

/** Refuses, by throwing, a request that the real server would refuse: both tools and a schema, or a result without its call. */
function readRequest(path: string, headers: Readonly<Record<string, string>>, raw: string): SeenRequest {
  const seen = body.parse(JSON.parse(raw));
  const tools = (seen.tools ?? []).flatMap((tool) => tool.functionDeclarations.map(({ name }) => name));
  const hasSchema = seen.generationConfig?.responseJsonSchema !== undefined;
  if (hasSchema && tools.length > 0) throw new Error('expected tools or a schema, found both');
  const only = seen.toolConfig?.functionCallingConfig.allowedFunctionNames?.[0];
  const turns = seen.contents.map(turnOf);
  for (const [index, turn] of turns.entries()) {
    const calls = turns[index - 1]?.calls ?? [];
    if (turn.results.length !== 0 && turn.results.length !== calls.length)
      throw new Error(`expected ${calls.length} results, found ${turn.results.length}`);
  }
  const system = (seen.systemInstruction?.parts ?? []).map((item) => item.text ?? '').join('');
  return {
    path,
    headers,
    raw,
    model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
    system,
    turns,
    tools,
    ...(only === undefined ? {} : { only }),
    hasSchema,
    maxOutputTokens: seen.generationConfig?.maxOutputTokens ?? 0,
    prompt: JSON.stringify([seen.systemInstruction ?? null, seen.tools ?? null, ...seen.contents]).slice(1, -1),
  };
}

function turnOf(content: Body['contents'][number]): SeenTurn {
  return {
    role: content.role === 'model' ? 'assistant' : 'user',
    text: content.parts.map((item) => (item.thought === true ? '' : (item.text ?? ''))).join(''),
    calls: content.parts.flatMap((item) =>
      item.functionCall === undefined
        ? []
        : [
            {
              name: item.functionCall.name,
              args: item.functionCall.args,
              ...(item.thoughtSignature === undefined ? {} : { signature: item.thoughtSignature }),
            },
          ],
    ),
    results: content.parts.flatMap((item) =>
      item.functionResponse === undefined
        ? []
        : [
            {
              name: item.functionResponse.name,
              text: String(item.functionResponse.response.output ?? item.functionResponse.response.error ?? ''),
            },
          ],
    ),
  };
}
