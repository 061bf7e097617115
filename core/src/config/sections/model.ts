import { z } from 'zod';
import { duration } from '../duration.ts';
import { size } from '../size.ts';

const dollars = (byDefault: number) => z.number().min(0).max(100_000).default(byDefault);

const price = z.strictObject({
  model: z.string().min(1),
  /** US dollars for a million tokens. */
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z.number().min(0).exactOptional(),
  cacheWrite: z.number().min(0).exactOptional(),
  asOf: z.iso.date(),
});

/** The model that looks where rules end. Without one, nothing leaves the cluster. */
export const modelSection = z.strictObject({
  provider: z
    .enum(['none', 'gemini', 'vertex', 'openai'])
    .default('none')
    .describe('`none` investigates by rules alone; `openai` is any server on that wire, one’s own included.'),
  name: z.string().min(1).max(200).optional().describe('Name of the model as its provider has it.'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of the provider, or of a server or gateway of one’s own in its place.'),
  apiKey: z.string().min(1).optional().describe('Key for the provider. Prefer `apiKeyFile`.'),
  apiKeyFile: z.string().min(1).optional().describe('File that holds the key; read at start.'),
  project: z.string().min(1).optional().describe('Vertex AI: the project.'),
  location: z.string().min(1).optional().describe('Vertex AI: the location.'),
  proxyUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('HTTP proxy for calls of the model. Proxies named in the environment are not used.'),
  caFile: z.string().min(1).optional().describe('PEM file of authorities that are trusted besides the usual ones.'),
  skipProven: z.boolean().default(true).describe('Whether a cause that a rule has proven is not asked about.'),
  temperature: z.number().min(0).max(2).default(0.2).describe('How freely the model words what it says.'),
  thinkingBudget: z
    .int()
    .min(-1)
    .max(200_000)
    .optional()
    .describe('Gemini: tokens that thinking may take; -1 leaves it to the model. Absent: the provider’s own.'),
  jsonMode: z
    .enum(['schema', 'object'])
    .default('schema')
    .describe('How `openai` asks for a plan; `object` for servers that know no schemas.'),
  maxOutputTokens: z.int().min(256).max(200_000).default(8192).describe('Tokens that one answer may take.'),
  modelMaxOutputTokens: z
    .int()
    .min(256)
    .max(1_000_000)
    .default(32_768)
    .describe('The most that the model can answer; used once when an answer was cut off.'),
  contextTokens: z.int().min(4096).max(10_000_000).default(128_000).describe('Tokens that the model can read at once.'),
  maxAnswerBytes: size('4MiB', { min: '1KiB', max: '64MiB' }).describe('An answer longer than this is broken off.'),
  callTimeout: duration('2m', { min: '1s', max: '30m' }).describe('How long one call may take, with all its tries.'),
  firstByteTimeout: duration('60s', { min: '100ms' }).describe(
    'How long a call may stay silent before its first byte.',
  ),
  idleTimeout: duration('45s', { min: '100ms' }).describe('How long an answer may pause.'),
  tries: z.int().min(1).max(10).default(3).describe('How often a call is made before it counts as failed.'),
  graceTime: duration('60s', { min: '1s' }).describe('Kept back from an investigation’s time for its concluding call.'),
  callsPerInvestigation: z.int().min(1).max(200).default(20).describe('Calls that one investigation may make.'),
  usdPerInvestigation: dollars(0.5).describe('Dollars that the calls of one investigation may cost.'),
  usdPerPlan: dollars(0.1).describe('Dollars that the planning of one incident may cost.'),
  usdPerHour: dollars(10).describe(
    'Dollars that all calls of an hour may cost. At twice as much, acting alone is latched off until a person lifts it.',
  ),
  usdPerDay: dollars(50).describe('Dollars that all calls of a day may cost.'),
  prices: z
    .array(price)
    .default([])
    .describe('What models cost, in dollars for a million tokens, and when that was looked up. One’s own may cost 0.'),
});
