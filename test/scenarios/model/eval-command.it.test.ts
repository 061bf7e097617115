import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { evaluate } from '@hephaisto/operator/cli/commands/eval';
import { z } from 'zod';
import { inOrder } from '../../support/model-script.ts';
import { startOpenAiStandIn } from '../../support/openai-stand-in.ts';

const printed = z.object({
  rows: z.array(z.object({ investigator: z.string(), note: z.string(), calls: z.number() })),
  summary: z.array(z.object({ investigator: z.string(), incidents: z.number(), concluded: z.number() })),
});

test('an evaluation says that an answer is not the model’s own, and tells two settings of one model apart', async () => {
  await using standIn = await startOpenAiStandIn(inOrder({ kind: 'status', status: 401 }));
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-eval-'));
  try {
    const files = ['one.yaml', 'two.yaml'].map((name) => join(folder, name));
    const price = '[{ model: scripted-1, input: 0, output: 0, asOf: 2026-01-01 }]';
    for (const file of files)
      writeFileSync(
        file,
        `model: { provider: openai, name: scripted-1, baseUrl: "${standIn.url}/v1", apiKey: none, prices: ${price} }\n`,
      );
    const out: string[] = [];
    const terminal = {
      out: (text: string) => void out.push(text),
      talk: () => undefined,
      env: {},
      stop: new AbortController().signal,
    };
    await evaluate(terminal, { config: files, story: 'bad-rollout', output: 'json', headers: true });
    const { rows, summary } = printed.parse(JSON.parse(out.join('')));
    const names = ['rules', ...files.map((file) => `openai:scripted-1 (${file})`)];
    assert.deepEqual(
      rows.map(({ investigator, note, calls }) => [investigator, note, calls > 0]),
      names.map((name, index) => [name, index === 0 ? '' : 'unavailable', index > 0]),
    );
    assert.deepEqual(
      summary,
      names.map((investigator, index) => ({ investigator, incidents: 1, concluded: index === 0 ? 1 : 0 })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
