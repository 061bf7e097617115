import type { ModelDialect } from '@hephaisto/core/ports/model-dialect';
import OpenAI from 'openai';
import { classify } from '../dialect-error.ts';
import type { Transport } from '../transport.ts';
import { collect } from './stream.ts';
import { type OpenAiOptions, requestOf } from './wire.ts';

export interface OpenAiAccess extends OpenAiOptions {
  readonly baseUrl: string;
  /** Servers of one's own often want none. */
  readonly apiKey?: string;
}

/** Any server on OpenAI's chat completions wire. Everything is given: what the SDK would take from the environment is never asked for. */
export function createOpenAiDialect(access: OpenAiAccess, transport: Transport): ModelDialect {
  const client = new OpenAI({
    baseURL: access.baseUrl,
    apiKey: access.apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    // One call is one request; what is tried again is counted elsewhere.
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
  });
  return {
    provider: 'openai',
    host: new URL(access.baseUrl).host,
    async ask(model, request, hooks) {
      const { fetch, trace } = transport.open(hooks);
      try {
        const bound = client.withOptions({ fetch });
        const chunks = await bound.chat.completions.create(requestOf(model, request, access), { signal: hooks.signal });
        return await collect(chunks);
      } catch (error: unknown) {
        hooks.signal.throwIfAborted();
        throw classify(error, trace);
      }
    },
    async find(model, hooks) {
      const { fetch, trace } = transport.open(hooks);
      try {
        await client.withOptions({ fetch }).models.retrieve(model, { signal: hooks.signal });
      } catch (error: unknown) {
        hooks.signal.throwIfAborted();
        throw classify(error, trace);
      }
    },
  };
}
