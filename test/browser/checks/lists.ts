import assert from 'node:assert/strict';
import { bestOf, SELDOM } from '../harness/best-of.ts';
import type { Check } from '../harness/check.ts';
import { shoot } from '../harness/shots.ts';

const DROPPED_MS = 1_000;

export const LIST_CHECKS: readonly Check[] = [
  {
    name: 'a list of 5,000 incidents scrolls to its end without a dropped second, drawing only what is in sight',
    async run(world) {
      const crowd = await world.crowd();
      const { page, troubles, close } = await crowd.open('ana', '/incidents');
      await page.locator('.list-row').first().waitFor();
      assert.match((await page.locator('[data-field="total"]').textContent()) ?? '', /5,0\d\d/);
      const { best } = await bestOf(
        'the longest pause of a scroll',
        DROPPED_MS,
        async (n) => {
          if (n > 1) await page.reload();
          await page.locator('.list-row').first().waitFor();
          return page.evaluate<number>(SCROLL_TO_END);
        },
        SELDOM,
      );
      await page.getByText(/^(5,0\d\d) of \1 loaded$/).waitFor({ timeout: 120_000 });
      const drawn = await page.locator('.list-row').count();
      assert.ok(drawn < 120, `expected only rows in sight to be drawn, found ${drawn}`);
      await shoot(page, 'incidents-5000');
      assert.deepEqual(troubles, []);
      await close();
      return { longestFrameMs: best, rowsDrawn: drawn };
    },
  },
  {
    name: 'the address holds all filters: it is shared, reloaded and gone back through',
    async run(world) {
      const { page, close } = await world.open('ana', '/incidents');
      await page.locator('.list-row').first().waitFor();
      await page.getByRole('button', { name: 'Critical' }).click();
      await page.getByRole('button', { name: 'Needs approval' }).click();
      await page.waitForURL(/severity=critical&state=AwaitingApproval/);
      await page.reload();
      await page.locator('[aria-pressed="true"]', { hasText: 'Critical' }).waitFor();
      await page.fill('input[type="search"]', 'nothing-of-that-name');
      await page.locator('[data-field="empty"]').waitFor();
      assert.match(page.url(), /text=nothing-of-that-name/);
      await page.getByRole('button', { name: 'Take all filters off' }).click();
      await page.locator('.list-row').first().waitFor();
      assert.equal(new URL(page.url()).search, '');
      await close();
    },
  },
];

/** Scrolls in steps to the end of what grows while one scrolls; gives the longest time between two frames. */
const SCROLL_TO_END = `new Promise((resolve) => {
  const box = document.querySelector('.list-body');
  const begun = performance.now();
  let longest = 0, last = begun, still = 0, height = 0;
  function frame(now) {
    longest = Math.max(longest, now - last);
    last = now;
    box.scrollTop += 4000;
    still = box.scrollHeight === height && box.scrollTop + box.clientHeight >= box.scrollHeight - 2 ? still + 1 : 0;
    height = box.scrollHeight;
    if (still > 60 || performance.now() - begun > 90000) resolve(longest);
    else requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);
})`;
