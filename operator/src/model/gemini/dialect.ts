import { GoogleGenAI } from '@google/genai';
import type { ModelDialect } from '@hephaisto/core/ports/model-dialect';
import { classify } from '../dialect-error.ts';
import type { Transport } from '../transport.ts';
import { collect } from './stream.ts';
import { configOf, contentsOf, type GeminiOptions } from './wire.ts';

export interface GeminiAccess extends GeminiOptions {
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Present for Vertex AI, whose credentials are the machine's own unless a key is given. */
  readonly vertex?: { readonly project: string; readonly location: string };
}

/** Gemini, by API key or on Vertex AI. Everything is given: what the SDK would take from the environment is never asked for. */
export function createGeminiDialect(access: GeminiAccess, transport: Transport): ModelDialect {
  const { vertex, apiKey, baseUrl } = access;
  const client = new GoogleGenAI({
    vertexai: vertex !== undefined,
    ...(apiKey === undefined ? { ...vertex } : { apiKey }),
    httpOptions: { baseUrl },
  });
  return {
    provider: vertex === undefined ? 'gemini' : 'vertex',
    host: new URL(baseUrl).host,
    async ask(model, request, hooks) {
      const { fetch, trace } = transport.open(hooks);
      try {
        const chunks = await client.models.generateContentStream({
          model,
          contents: contentsOf(request.messages),
          // No retry options: one call is one request.
          config: { ...configOf(request, access), abortSignal: hooks.signal, httpOptions: { fetch } },
        });
        return await collect(chunks);
      } catch (error: unknown) {
        hooks.signal.throwIfAborted();
        throw classify(error, trace);
      }
    },
    async find(model, hooks) {
      const { fetch, trace } = transport.open(hooks);
      try {
        await client.models.get({ model, config: { abortSignal: hooks.signal, httpOptions: { fetch } } });
      } catch (error: unknown) {
        hooks.signal.throwIfAborted();
        throw classify(error, trace);
      }
    },
  };
}
