import { z } from 'zod';
import type { Script, ScriptPart, ScriptStop, SeenRequest, SeenTurn, StandIn } from './model-script.ts';
import { cutInto, startStandIn, type Wire } from './stand-in-server.ts';

const call = z.looseObject({
  id: z.string().min(1),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullable().optional(),
  tool_calls: z.array(call).optional(),
  tool_call_id: z.string().optional(),
});
const body = z.looseObject({
  model: z.string(),
  messages: z.array(message),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
  tool_choice: z.looseObject({ function: z.looseObject({ name: z.string() }) }).optional(),
  response_format: z.unknown().optional(),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
});
type Message = z.infer<typeof message>;

const STOPS: Readonly<Record<Exclude<ScriptStop, 'none'>, string>> = {
  end: 'stop',
  calls: 'tool_calls',
  length: 'length',
  safety: 'content_filter',
  malformed: 'stop',
};

/** A server that speaks the streaming wire of OpenAI's chat completions. */
export function startOpenAiStandIn(script: Script): Promise<StandIn> {
  return startStandIn(WIRE, script);
}

const WIRE: Wire = {
  read: (path, headers, raw) => readRequest(path, headers, raw),
  pieces(reply, counted) {
    let index = -1;
    const deltas = reply.parts.flatMap((item) => {
      if ('call' in item) index += 1;
      return deltasOf(item, reply.pieces ?? 1, index);
    });
    const calls = reply.parts.some((item) => 'call' in item);
    const stop = reply.stop ?? (calls ? 'calls' : 'end');
    const output = reply.outputTokens ?? Math.ceil(JSON.stringify(deltas).length / 4);
    const usage = {
      prompt_tokens: counted.input,
      completion_tokens: output,
      total_tokens: counted.input + output,
      prompt_tokens_details: { cached_tokens: counted.cached },
    };
    return [
      ...deltas.map((delta) => event(chunk({ delta, index: 0, finish_reason: null }))),
      ...(stop === 'none' ? [] : [event(chunk({ delta: {}, index: 0, finish_reason: STOPS[stop] }))]),
      ...(reply.withoutUsage === true ? [] : [event({ ...chunk(undefined), usage })]),
      'data: [DONE]\n\n',
    ];
  },
  blocked: () => [
    event(chunk({ delta: { refusal: 'no' }, index: 0, finish_reason: 'content_filter' })),
    'data: [DONE]\n\n',
  ],
  textPiece: (text) => event(chunk({ delta: { content: text }, index: 0, finish_reason: null })),
  refusal: (status) =>
    JSON.stringify({ error: { message: `scripted refusal ${status}`, type: 'scripted', code: null } }),
};

function chunk(choice: unknown): Readonly<Record<string, unknown>> {
  return {
    id: 'x',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'scripted',
    choices: choice === undefined ? [] : [choice],
  };
}

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function deltasOf(item: ScriptPart, pieces: number, index: number): unknown[] {
  if ('text' in item) return cutInto(item.text, pieces).map((content) => ({ content }));
  if ('thinking' in item) return [{ reasoning_content: item.thinking }];
  const raw = item.raw ?? JSON.stringify(item.args ?? {});
  return [
    {
      tool_calls: [
        { index, id: item.id ?? `call_${index}`, type: 'function', function: { name: item.call, arguments: '' } },
      ],
    },
    ...cutInto(raw, pieces).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
  ];
}

/** Refuses, by throwing, a request that real servers refuse: both tools and a schema, or a result without its call. */
function readRequest(path: string, headers: Readonly<Record<string, string>>, raw: string): SeenRequest {
  const seen = body.parse(JSON.parse(raw));
  const tools = (seen.tools ?? []).map((tool) => tool.function.name);
  const hasSchema = seen.response_format !== undefined;
  if (hasSchema && tools.length > 0) throw new Error('expected tools or a schema, found both');
  const [head, ...rest] = seen.messages;
  if (head?.role !== 'system' || rest.some((item) => item.role === 'system'))
    throw new Error('expected system text at the head and nowhere else');
  return {
    path,
    headers,
    raw,
    model: seen.model,
    system: head.content ?? '',
    turns: turnsOf(rest),
    tools,
    ...(seen.tool_choice === undefined ? {} : { only: seen.tool_choice.function.name }),
    hasSchema,
    maxOutputTokens: seen.max_completion_tokens ?? seen.max_tokens ?? 0,
    prompt: JSON.stringify([seen.tools ?? null, ...seen.messages]).slice(1, -1),
  };
}

function turnsOf(messages: readonly Message[]): readonly SeenTurn[] {
  const turns: SeenTurn[] = [];
  let open = new Map<string, string>();
  for (const item of messages) {
    if (item.role === 'tool') {
      const name = open.get(item.tool_call_id ?? '');
      if (name === undefined) throw new Error(`expected a result of an open call, found \`${item.tool_call_id}\``);
      open.delete(item.tool_call_id ?? '');
      const result = { name, text: item.content ?? '' };
      const last = turns.at(-1);
      if (last?.role === 'user' && last.text === '')
        turns[turns.length - 1] = { ...last, results: [...last.results, result] };
      else turns.push({ role: 'user', text: '', calls: [], results: [result] });
      continue;
    }
    if (open.size > 0) throw new Error(`expected results of all calls, found none of ${[...open.values()].join(', ')}`);
    const calls = (item.tool_calls ?? []).map((each) => ({
      name: each.function.name,
      args: JSON.parse(each.function.arguments) as unknown,
    }));
    open = new Map((item.tool_calls ?? []).map((each) => [each.id, each.function.name]));
    turns.push({
      role: item.role === 'assistant' ? 'assistant' : 'user',
      text: item.content ?? '',
      calls,
      results: [],
    });
  }
  return turns;
}
