import assert from 'node:assert/strict';
import type { World as ClusterWorld } from '@hephaisto/core/diagnose/case.fixture';
import { consoleExtension } from '@hephaisto/operator/api/console-files';
import { stopInvestigation } from '@hephaisto/operator/commands/investigation-stop';
import { consoleFolder } from '@hephaisto/operator/demo/console-folder';
import { memoryReader } from '@hephaisto/operator/investigate/memory-reader.fixture';
import { syncModelBudgets } from '@hephaisto/operator/model/ledger/database-ledger';
import { type PersonName, startTestApi } from '@hephaisto/test/api';
import { createTestDatabase } from '@hephaisto/test/database';
import { insertIncident, moveIncidentTo } from '@hephaisto/test/incident-rows';
import { drain, quietDeps } from '@hephaisto/test/stage-deps';
import { modelParts, SPEND } from '../../scenarios/model/inquiry-bench.ts';
import { honest, WEDGED } from '../../scenarios/model/wedged-world.ts';
import { startGeminiStandIn } from '../../support/gemini-stand-in.ts';
import type { Check } from '../harness/check.ts';
import { shoot } from '../harness/shots.ts';
import { PHONE, type Visit, visit, type World } from '../harness/world.ts';
import { waitingIncident } from './story.ts';

/** A log that holds a token, which must be taken out before anything leaves. */
const TELLING: ClusterWorld = {
  ...WEDGED,
  logs: { 'app-c': `API_TOKEN=abc123canary\n${WEDGED.logs?.['app-c'] ?? ''}` },
};

interface Looking extends Visit {
  readonly path: string;
  /** Lets the model answer; until then it is silent. */
  answer(): void;
  settled(): Promise<void>;
}

/** One incident that the product's own stages look into, with a scripted server for a model behind the real channel. */
async function withModel(world: World, use: (looking: Looking) => Promise<void>): Promise<void> {
  const folder = await consoleFolder(() => {});
  const db = await createTestDatabase();
  const deps = quietDeps(db);
  const api = await startTestApi({
    db,
    deps: { extensions: [consoleExtension(folder)] },
    commands: { stopInvestigation: (command) => stopInvestigation(deps, command) },
  });
  const answers = Promise.withResolvers<void>();
  const standIn = await startGeminiStandIn(async (request) => {
    await answers.promise;
    return honest(request);
  });
  const parts = modelParts(deps, db, memoryReader(TELLING), standIn.url, {
    channel: { stall: { firstByteMs: 120_000, idleMs: 120_000 } },
  });
  const stop = new AbortController();
  let looked: Promise<unknown> = Promise.resolve();
  try {
    await syncModelBudgets(db, SPEND);
    const id = await insertIncident(db, { owner: 'app', title: 'app crashes' });
    await moveIncidentTo(db, id, 'Investigating');
    looked = parts.investigate.pass(stop.signal);
    const browser = (await world.context('vic')).browser();
    assert.ok(browser !== null);
    const server = {
      base: api.url,
      linkOf: async (person: string) => `${api.url}/sign-in?token=${await api.link(person as PersonName)}`,
    };
    await use({
      ...visit(browser, server),
      path: `/incidents/${id}`,
      answer: answers.resolve,
      async settled() {
        await looked;
        await drain(parts.investigate, parts.plan);
      },
    });
  } finally {
    stop.abort();
    answers.resolve();
    await looked.catch(() => undefined);
    parts.close();
    await standIn.close();
    await api[Symbol.asyncDispose]();
  }
}

export const MODEL_CHECKS: readonly Check[] = [
  {
    name: 'without a model one sentence says that none looked and why, and nothing was sent',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('ana', path);
      const said = page.locator('[data-field="model"][data-state="not-configured"]');
      assert.match((await said.textContent()) ?? '', /^No model looked: no model is configured/);
      assert.equal(await page.locator('[data-field="transcript-link"], .model-figures').count(), 0);
      await page.goto(`${world.base}${path}/transcript`);
      await page.locator('[data-field="nothing-sent"]').waitFor();
      await close();
    },
  },
  {
    name: 'a look shows its reads as they happen, then who said what, what it took and what is left',
    async run(world) {
      await withModel(world, async (looking) => {
        const { page, troubles, close } = await looking.open('rui', looking.path);
        const panel = page.locator('section[data-field="model"]');
        await panel.locator('[data-field="model-state"]', { hasText: 'Looking' }).waitFor();
        await panel.locator('[data-field="latest-steps"] li').first().waitFor();
        await panel.locator('[data-field="model-calls"]', { hasText: 'one under way' }).waitFor();
        assert.equal(await panel.locator('[data-field="stop-look"]').count(), 1);
        await shoot(page, 'model-looking');
        looking.answer();
        await panel.locator('[data-field="model-state"]', { hasText: 'Concluded' }).waitFor();
        await looking.settled();
        await page.reload();
        await panel.locator('[data-by="planner"]').waitFor();
        assert.match((await panel.locator('[data-by="model"]').textContent()) ?? '', /segment index/);
        assert.match((await panel.locator('[data-by="rules"]').textContent()) ?? '', /Possible/);
        for (const field of [
          'model-reads',
          'model-calls',
          'model-tokens',
          'model-cost',
          'budget-left',
          'model-latency',
        ])
          assert.match((await panel.locator(`[data-field="${field}"]`).textContent()) ?? '', /\d/, field);
        await panel.scrollIntoViewIfNeeded();
        await shoot(page, 'model-concluded');
        await close();
        const phone = await looking.open('rui', looking.path, { size: PHONE, theme: 'dark' });
        await phone.page.locator('section[data-field="model"]').scrollIntoViewIfNeeded();
        await shoot(phone.page, 'model-phone');
        const wide = await phone.page.evaluate('document.documentElement.scrollWidth > innerWidth');
        assert.equal(wide, false, 'no sideways scrolling');
        await phone.close();
        assert.deepEqual(troubles, []);
      });
    },
  },
  {
    name: 'what was sent is there byte for byte, with what was taken out marked, to whom it went and who has read it',
    async run(world) {
      await withModel(world, async (looking) => {
        looking.answer();
        await looking.settled();
        const { page, troubles, close } = await looking.open('ana', looking.path);
        await page.locator('[data-field="transcript-link"]').click();
        const calls = page.locator('[data-turn="investigation"] [data-field="sent-call"]');
        await calls.nth(1).locator('summary').click();
        const bytes = calls.nth(1).locator('[data-field="sent-bytes"]');
        await bytes.locator('mark', { hasText: '[redacted:' }).first().waitFor();
        await shoot(page, 'transcript');
        await calls.nth(1).getByRole('button', { name: 'Show the exact bytes' }).click();
        const { turns } = await looking.get<{
          turns: { calls: { sent: { body: string } }[] }[];
        }>('vic', `/api/v1${looking.path}/transcript`);
        assert.equal(await bytes.textContent(), turns[0]?.calls[1]?.sent.body);
        assert.doesNotMatch((await page.content()) ?? '', /canary/);
        assert.match(
          (await page.locator('[data-field="recipient"]').textContent()) ?? '',
          /scripted-1 at 127\.0\.0\.1/,
        );
        assert.match((await page.locator('[data-field="read-by"]').textContent()) ?? '', /ana/);
        assert.deepEqual(troubles, []);
        await close();
        const phone = await looking.open('ana', `${looking.path}/transcript`, { size: PHONE, theme: 'dark' });
        await phone.page.locator('[data-turn="planner"] summary').click();
        await shoot(phone.page, 'transcript-phone');
        const wide = await phone.page.evaluate('document.documentElement.scrollWidth > innerWidth');
        assert.equal(wide, false, 'no sideways scrolling');
        await phone.close();
      });
    },
  },
  {
    name: 'who stops a look has the incident at once, and what the rules had found stays',
    async run(world) {
      await withModel(world, async (looking) => {
        const { page, close } = await looking.open('rui', looking.path);
        await page.locator('[data-field="stop-look"]').click();
        const sheet = page.locator('[data-field="stop-sheet"]');
        await sheet.locator('textarea').fill('enough');
        await sheet.getByRole('button', { name: 'Stop it' }).click();
        await page.locator('article[data-state="Escalated"]').waitFor();
        await page.locator('section[data-field="model"][data-state="stopped"]').waitFor();
        await looking.settled();
        await page.reload();
        const rules = page.locator('section[data-field="model"] [data-by="rules"]');
        assert.match((await rules.textContent()) ?? '', /Possible/);
        await shoot(page, 'model-stopped');
        await close();
      });
    },
  },
];
