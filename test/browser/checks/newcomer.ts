import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';
import { shoot } from '../harness/shots.ts';
import { waitingIncident } from './story.ts';

const HEALS_WITHIN_MS = 300_000;

export const NEWCOMER_CHECKS: readonly Check[] = [
  {
    name: 'a newcomer opens the link, sees the incident, reads the cause, opens evidence, approves, and watches it heal',
    async run(world) {
      const { number } = await waitingIncident(world);
      const { page, troubles, close } = await world.open('ana', '/');
      const row = page.locator(`.inbox-row[data-incident="${number}"]`);
      await row.waitFor();
      assert.equal(await row.locator('[data-field="severity"]').getAttribute('data-state'), 'critical');
      await row.locator('.title').click();
      assert.match((await page.locator('[data-field="cause"]').textContent()) ?? '', /PAYMENTS_URL/);
      assert.equal(
        await page.locator('[data-field="verdict"] [data-field="certainty"]').getAttribute('data-state'),
        'proven',
      );
      await page.locator('[data-field="evidence"] a.chip', { hasText: 'log' }).first().click();
      await page.locator('.recorded mark', { hasText: 'PAYMENTS_URL' }).first().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Review and approve' }).click();
      await page.fill('#approve-reason', 'the old value is the right one');
      await page.keyboard.press('Control+Enter');
      await page.locator('[data-field="progress"]').first().waitFor();
      await shoot(page, 'path-applied');
      await page.locator('dialog').getByRole('button', { name: 'Close' }).last().click();
      await page.locator('.incident[data-state="Verifying"], .incident[data-state="Resolved"]').waitFor();
      await page.locator('.incident[data-state="Resolved"]').waitFor({ timeout: HEALS_WITHIN_MS });
      await page.locator('[data-field="progress"][data-state="Verified"]').waitFor();
      await page.locator('[data-field="before-after"]').waitFor();
      const states = (await page.locator('[data-field="time-in-states"]').textContent()) ?? '';
      for (const word of ['Investigating', 'Needs approval', 'Verifying', 'Resolved'])
        assert.ok(states.includes(word), word);
      await shoot(page, 'path-healed');
      assert.deepEqual(troubles, []);
      await close();
    },
  },
];
