import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { ModelDialect } from '@hephaisto/core/ports/model-dialect';
import { createGeminiDialect } from './gemini/dialect.ts';
import { createOpenAiDialect } from './openai/dialect.ts';
import { createTransport, type Transport } from './transport.ts';

const DIALECTS: Readonly<Record<string, (baseUrl: string, transport: Transport) => ModelDialect>> = {
  openai: (baseUrl, transport) =>
    createOpenAiDialect({ baseUrl, temperature: 0, json: 'schema', limit: 'max_tokens' }, transport),
  gemini: (baseUrl, transport) => createGeminiDialect({ baseUrl, apiKey: 'k', temperature: 0 }, transport),
};

describe('a model behind a path prefix', () => {
  for (const [name, open] of Object.entries(DIALECTS)) {
    for (const slash of ['', '/']) {
      it(`${name} is asked behind the prefix${slash === '' ? '' : ' that ends with a slash'}`, async () => {
        const asked: string[] = [];
        const server = createServer((request, response) => {
          asked.push(request.url ?? '');
          response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const transport = createTransport({ maxAnswerBytes: 10_000 });
        try {
          const { port } = server.address() as AddressInfo;
          const dialect = open(`http://127.0.0.1:${port}/gateway/llm${slash}`, transport);
          await dialect.find('some-model', {
            signal: new AbortController().signal,
            send: async () => undefined,
            heard: () => undefined,
          });
        } finally {
          transport.close();
          server.closeAllConnections();
          server.close();
        }
        assert.equal(asked.length, 1);
        assert.match(asked[0] ?? '', /^\/gateway\/llm\/([^/]+\/)*models\/some-model/);
      });
    }
  }
});
