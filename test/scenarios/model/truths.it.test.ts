import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { configSchema } from '@hephaisto/core/config/schema';
import { requireEpoch } from '@hephaisto/operator/adapters/postgres/leases';
import { type EvalRow, runEval } from '@hephaisto/operator/demo/eval/run-eval';
import { STORIES } from '@hephaisto/operator/demo/stories/story-book';
import { createDiagnostician } from '@hephaisto/operator/investigate/diagnostician';
import { TOOLBOX } from '@hephaisto/operator/investigate/toolbox';
import { openModel } from '@hephaisto/operator/wiring/model';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { quietDeps } from '@hephaisto/test/stage-deps';
import { startGeminiStandIn } from '../../support/gemini-stand-in.ts';
import type { StandIn } from '../../support/model-script.ts';
import { truthful } from './truths.ts';

const TOLD = Object.values(STORIES).filter((story) => story.expected.incidents.length > 0);
const INCIDENTS = TOLD.flatMap((story) => story.expected.incidents.map((expected) => ({ story, expected })));

describe('an honest model, on every story', { timeout: 300_000 }, () => {
  let db: TestDatabase;
  let standIn: StandIn;
  let rows: readonly EvalRow[] = [];

  before(async () => {
    db = await createTestDatabase();
    standIn = await startGeminiStandIn(truthful);
    const { model } = configSchema.parse({
      model: {
        provider: 'gemini',
        name: 'scripted-1',
        baseUrl: standIn.url,
        apiKey: 'scripted',
        skipProven: false,
        prices: [{ model: 'scripted-1', input: 1, output: 4, cacheRead: 0.25, asOf: '2026-11-01' }],
      },
    });
    const deps = quietDeps(db);
    rows = await runEval({
      deps,
      stories: TOLD,
      investigators: [
        { name: 'rules', open: async () => ({ investigator: createDiagnostician(), close: () => undefined }) },
        {
          name: 'model',
          open: (stage, underLease) =>
            openModel(
              { ...stage, requireEpoch, underLease, random: () => 0.5, tools: TOOLBOX, settleMs: 0 },
              model,
              'evaluation',
            ),
        },
      ],
      onProgress: () => undefined,
      onRow: () => undefined,
    });
  });
  after(async () => {
    await standIn.close();
    await db.close();
  });

  for (const { story, expected } of INCIDENTS) {
    it(`${story.id}/${expected.key}: cause, entity and proposal as the rules or better, with every quotation standing`, () => {
      const of = (investigator: string) =>
        rows.find(
          (row) => row.investigator === investigator && row.story === story.id && row.incident === expected.key,
        );
      const [rules, model] = [of('rules'), of('model')];
      assert.ok(rules !== undefined && model !== undefined);
      assert.equal(model.note, 'concluded', model.said);
      for (const part of ['cause', 'entity', 'proposal'] as const)
        assert.ok(Number(model[part]) >= Number(rules[part]), `${part}: ${model.said}`);
      for (const row of [rules, model])
        assert.ok(row.cause && row.entity && row.proposal, `${row.investigator}: ${row.said}`);
      assert.equal(model.ungrounded, 0);
      assert.ok(model.tokens <= 30_000, `${model.tokens} tokens`);
    });
  }

  it('what was sent before stands at the head of each further prompt, and first prompts are short', (context) => {
    const first = standIn.requests.filter((request) => request.turns.length === 1 && !request.hasSchema);
    const further = standIn.requests.filter((request) => request.turns.length > 1);
    for (const request of further) {
      const before = standIn.requests[standIn.requests.indexOf(request) - 1];
      assert.ok(before !== undefined && request.prompt.startsWith(before.prompt));
    }
    const tokens = rows.filter((row) => row.investigator === 'model').map((row) => row.tokens);
    const longest = Math.max(...first.map(({ prompt }) => Math.ceil(Buffer.byteLength(prompt) / 3.6)));
    assert.ok(longest <= 6_000, `${longest} tokens`);
    context.diagnostic(`longest first prompt ${longest} tokens, most of an investigation ${Math.max(...tokens)}`);
  });

  it('no two claims of the model and the rules contradict each other on these', async () => {
    const rowsOfModel = await db.query<{ kind: string; primary: boolean }>(
      `SELECT f.cause->>'kind' AS kind, f.is_primary AS primary FROM findings f WHERE f.rule IS NULL`,
    );
    assert.equal(rowsOfModel.length, INCIDENTS.length);
    assert.ok(
      rowsOfModel.every(({ kind }) => kind !== 'unknown'),
      JSON.stringify(rowsOfModel),
    );
  });
});
