import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';
import { drawn } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { waitingIncident } from './story.ts';

export const EVIDENCE_CHECKS: readonly Check[] = [
  {
    name: 'each piece of evidence opens the recorded step with the quotation marked and in sight',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, troubles, close } = await world.open('ana', path);
      await drawn(page, '[data-field="evidence"] a.chip');
      const count = await page.locator('[data-field="evidence"] a.chip').count();
      assert.ok(count >= 2, `expected several pieces of evidence, found ${count}`);
      for (let index = 0; index < count; index += 1) {
        await page.locator('[data-field="evidence"] a.chip').nth(index).click();
        const mark = page.locator('.recorded mark[data-state="chosen"]').first();
        await mark.waitFor();
        const box = await mark.boundingBox();
        assert.ok(box !== null && box.y > 0 && box.y < 720, 'the quotation is in sight');
        assert.ok(((await mark.textContent()) ?? '').length > 5);
        for (const field of ['source', 'cut', 'redacted'])
          assert.notEqual(await page.locator(`[data-field="${field}"]`).first().textContent(), '', field);
        if (index === 0) await shoot(page, 'evidence-cited');
        await page.goBack();
        await page.locator('[data-field="verdict"]').waitFor();
      }
      assert.deepEqual(troubles, []);
      await close();
    },
  },
  {
    name: 'who comes back from a piece of evidence is where he was in the report',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('ana', path);
      await drawn(page, '.entries li');
      const place = await page.evaluate<number>('scrollTo(0, document.documentElement.scrollHeight), scrollY');
      const short = await page.evaluate<number>(
        `document.getElementById('details').getBoundingClientRect().top + scrollY - innerHeight`,
      );
      assert.ok(place > short + 100, `expected a place within the details, found ${place} of ${short}`);
      // A press by hand would bring the link into sight first.
      await page.locator('[data-field="evidence"] a.chip').first().dispatchEvent('click');
      await page.locator('[data-field="evidence-viewer"]').waitFor();
      await page.goBack();
      await page.locator('.entries li').first().waitFor({ state: 'attached' });
      await page.waitForFunction(`Math.abs(scrollY - ${place}) < 50`);
      await close();
    },
  },
  {
    name: 'the read can be repeated by hand: its command is copied as it stands there',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('ana', path);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.base });
      await page.locator('[data-field="evidence"] a.chip', { hasText: 'log' }).first().click();
      await page.getByRole('button', { name: 'Copy as kubectl' }).click();
      await page.getByText('Copied the command').waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      assert.match(copied, /^kubectl logs \S+ -n bad-rollout-\S+ -c checkout/);
      await close();
    },
  },
];
