import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';
import { approveState } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';

export const DECISION_CHECKS: readonly Check[] = [
  {
    name: 'of two who approve at once one act comes, and the other sees who was faster',
    async run(world) {
      const { number } = await world.awaiting('oom-rollout');
      const path = `/incidents/${number}?review=1`;
      const [ana, ben] = [await world.open('ana', path), await world.open('ben', path)];
      for (const { page } of [ana, ben]) {
        await approveState(page, 'ready');
        // What the other does must not reach this page before its own press.
        await page.route('**/api/v1/incidents/**', (route) => route.abort());
      }
      await Promise.all([ana, ben].map(({ page }) => page.getByRole('button', { name: /Approve and run/ }).click()));
      const outcomes = await Promise.all(
        [ana, ben].map(async ({ page }) => {
          const said = page.locator('[data-field="voted"], [data-field="refused"]').first();
          await said.waitFor();
          return { field: await said.getAttribute('data-field'), text: (await said.textContent()) ?? '' };
        }),
      );
      assert.deepEqual(outcomes.map(({ field }) => field).sort(), ['refused', 'voted'], JSON.stringify(outcomes));
      const loser = outcomes.findIndex(({ field }) => field === 'refused');
      assert.match(outcomes[loser]?.text ?? '', loser === 0 ? /Ben/ : /Ana/);
      await shoot((loser === 0 ? ana : ben).page, 'race-lost');
      const report = await world.incident(number);
      const sent = report.actions.flatMap(({ attempts }) => attempts).filter(({ phase }) => phase === 'execute');
      assert.ok(sent.length <= 1, 'one act');
      await ana.close();
      await ben.close();
    },
  },
  {
    name: 'denying takes a reason, and everybody sees whose and which',
    async run(world) {
      const { number } = await world.awaiting('image-missing-rollout');
      const { page, troubles, close } = await world.open('ben', `/incidents/${number}`);
      await page.locator('[data-field="proposal"]').getByRole('button', { name: 'Deny' }).click();
      const deny = page.getByRole('button', { name: 'Deny it' });
      assert.ok(await deny.isDisabled(), 'no reason, no denial');
      await page.getByRole('button', { name: 'too risky' }).click();
      await page.fill('#deny-words', 'the tag is being pushed right now');
      await deny.click();
      await page.locator('[data-field="voted"]').waitFor();
      await page.locator('.incident[data-state="Escalated"]').waitFor();
      await page.keyboard.press('Escape');
      await page
        .locator('[data-field="proposal"]', { hasText: 'Denied by Ben: too risky: the tag is being pushed right now' })
        .waitFor();
      await shoot(page, 'denied');
      await page.goto(`${world.base}/approvals?state=Denied`);
      await page.locator('.card-row[data-state="Denied"]', { hasText: 'Ben' }).first().waitFor();
      assert.deepEqual(troubles, []);
      await close();
    },
  },
];
