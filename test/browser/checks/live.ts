import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { bestOf } from '../harness/best-of.ts';
import type { Check } from '../harness/check.ts';
import { approveState } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { prepareWaiting } from './prepared.ts';
import { waitingIncident } from './story.ts';

const ON_SCREEN_WITHIN_MS = 500;

export const LIVE_CHECKS: readonly Check[] = [
  {
    name: 'an event reaches the screen within half a second of its commit',
    async run(world) {
      const { path, number } = await waitingIncident(world);
      const id = (await world.incident(number)).id;
      const { page, close } = await world.open('ana', path);
      await page.locator('[data-field="freshness"][data-state="live"]').waitFor();
      await page.locator('.entries li').first().waitFor();
      const word = randomUUID();
      const { best, middle } = await bestOf('a word on the screen', ON_SCREEN_WITHIN_MS, async (n) => {
        const text = `a word from outside, ${word}, the ${n}. of some`;
        const { status } = await world.write('rui', 'POST', `/api/v1/incidents/${id}/note`, { text });
        const committed = performance.now();
        assert.equal(status, 200);
        await page.locator('.entries li', { hasText: text }).first().waitFor();
        return performance.now() - committed;
      });
      await close();
      return { bestMs: best, middleMs: middle };
    },
  },
  {
    name: 'a line that is cut makes the screen say how old it is, and approving waits until it is back',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('ana', '/');
      let cut = false;
      await page.route('**/api/v1/stream', (route) => (cut ? route.abort('connectionfailed') : route.fallback()));
      await page.goto(`${world.base}${path}?review=1`);
      await approveState(page, 'ready');
      cut = true;
      await page.context().setOffline(true);
      await page.locator('[data-field="freshness"][data-state="offline"]').waitFor({ state: 'attached' });
      await approveState(page, 'stale');
      assert.ok(await page.getByRole('button', { name: /Approve and run/ }).isDisabled());
      await shoot(page, 'offline');
      await page.context().setOffline(false);
      await page
        .locator('[data-field="freshness"][data-state="stale"]')
        .waitFor({ state: 'attached', timeout: 90_000 });
      assert.ok(
        await page.getByRole('button', { name: /Approve and run/ }).isDisabled(),
        'answers without a live line are not enough',
      );
      await shoot(page, 'stale');
      cut = false;
      await page.locator('[data-field="freshness"][data-state="live"]').waitFor({ state: 'attached', timeout: 90_000 });
      await approveState(page, 'ready');
      await close();
    },
  },
  {
    name: 'two tabs share one line, and the second takes it over when the first is closed',
    async run(world) {
      const { path, number } = await waitingIncident(world);
      const id = (await world.incident(number)).id;
      const context = await world.context('ana');
      let streams = 0;
      context.on('request', (request) => {
        if (request.url().endsWith('/api/v1/stream')) streams += 1;
      });
      const first = await context.newPage();
      await first.goto(world.base + path);
      await first.locator('[data-field="freshness"][data-state="live"]').waitFor();
      const second = await context.newPage();
      await second.goto(world.base + path);
      await second.locator('[data-field="freshness"][data-state="live"]').waitFor();
      assert.equal(streams, 1, 'one stream for both');
      await world.write('rui', 'POST', `/api/v1/incidents/${id}/note`, { text: 'for both tabs' });
      await second.locator('.entries li', { hasText: 'for both tabs' }).first().waitFor();
      await first.close();
      await world.write('rui', 'POST', `/api/v1/incidents/${id}/note`, { text: 'for the tab that is left' });
      await second.locator('.entries li', { hasText: 'for the tab that is left' }).first().waitFor();
      await second.locator('[data-field="freshness"][data-state="live"]').waitFor();
      await context.close();
    },
  },
  {
    name: 'a new row queues behind a bar, and what one points at does not move',
    async run(world) {
      const crowd = await world.crowd();
      const { page, close } = await crowd.open('ana', '/');
      const row = page.locator('.inbox-row').first();
      await row.waitFor();
      await page.locator('[data-field="freshness"][data-state="live"]').waitFor();
      await row.hover();
      const before = await row.boundingBox();
      await prepareWaiting(crowd, { title: 'A row that came later' });
      await page.locator('[data-field="waiting-rows"]').first().waitFor();
      assert.equal(await page.getByText('A row that came later').count(), 0);
      assert.equal((await row.boundingBox())?.y, before?.y);
      await shoot(page, 'waiting-rows');
      await page.keyboard.press('r');
      await page.getByText('A row that came later').first().waitFor();
      await close();
    },
  },
];
