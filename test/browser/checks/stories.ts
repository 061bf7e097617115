import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';

export const STORY_CHECKS: readonly Check[] = [
  {
    name: 'the story picker says what is simulated and compressed, and plays a story that appears in the inbox by itself',
    async run(world) {
      const { page, troubles, close } = await world.open('rui', '/stories');
      await page.locator('[data-field="stories"] [data-story]').first().waitFor();
      assert.ok((await page.locator('[data-story]').count()) >= 10);
      assert.match((await page.textContent('main')) ?? '', /waiting is divided by/);
      await page.getByRole('button', { name: /^Play( again)?: A rollout lowers a memory limit/ }).click();
      await page.getByRole('link', { name: 'Inbox', exact: true }).click();
      await page
        .locator('.inbox-row[data-state="AwaitingApproval"], [data-field="waiting-rows"]')
        .first()
        .waitFor({ timeout: 120_000 });
      assert.deepEqual(troubles, []);
      await close();
    },
  },
];
