import assert from 'node:assert/strict';
import type { IncidentSummary } from '@hephaisto/core/report/incident';
import type { Page } from 'playwright-core';
import type { Check } from '../harness/check.ts';
import { slowness } from '../harness/machine.ts';
import { shoot } from '../harness/shots.ts';
import type { World } from '../harness/world.ts';

const MANY = 5_000;
const DROPPED_MS = 1_000;
const SEVERITIES = ['critical', 'warning', 'info'] as const;
const STATES = ['Resolved', 'Escalated', 'AwaitingApproval', 'Suppressed', 'Verifying', 'Expired'] as const;

export const LIST_CHECKS: readonly Check[] = [
  {
    name: 'a list of 5,000 incidents scrolls to its end without a dropped second, drawing only what is in sight',
    async run(world) {
      const { page, troubles, close } = await world.open('ana', '/');
      await withMany(world, page);
      await page.goto(`${world.base}/incidents`);
      await page.locator('.list-row').first().waitFor();
      assert.match((await page.locator('[data-field="total"]').textContent()) ?? '', /5,000/);
      const slow = slowness();
      const longest = await page.evaluate<number>(SCROLL_TO_END);
      await page.getByText('5,000 of 5,000 loaded').waitFor({ timeout: 60_000 });
      const drawn = await page.locator('.list-row').count();
      assert.ok(drawn < 120, `expected only rows in sight to be drawn, found ${drawn}`);
      assert.ok(longest < DROPPED_MS * slow, `expected no pause of ${DROPPED_MS} ms, found ${longest}`);
      await shoot(page, 'incidents-5000');
      assert.deepEqual(troubles, []);
      await close();
      return { longestFrameMs: Math.round(longest), rowsDrawn: drawn };
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

/** Answers the list with many rows made of a real one, in pages by cursor as the server would. */
async function withMany(world: World, page: Page): Promise<void> {
  const { items } = await world.get<{ items: IncidentSummary[] }>('vic', '/api/v1/incidents?limit=1');
  const [like] = items;
  assert.ok(like !== undefined, 'expected an incident');
  const rows = Array.from(
    { length: MANY },
    (_, index): IncidentSummary => ({
      ...like,
      id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      number: MANY - index,
      severity: SEVERITIES[index % 3] ?? 'info',
      state: STATES[index % 6] ?? 'Resolved',
      open: index % 6 === 1 || index % 6 === 2,
      occurrences: (index * 7) % 400,
      ageSeconds: index * 97,
      title: `${like.kind} of Deployment service-${index % 173} in team-${index % 23}`,
      namespace: `team-${index % 23}`,
      ownerName: `service-${index % 173}`,
    }),
  );
  await page.route(/\/api\/v1\/incidents\?(?!.*open=)/, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const from = Number(query.get('cursor') ?? 0);
    const to = Math.min(MANY, from + Number(query.get('limit') ?? 50));
    await route.fulfill({ json: { items: rows.slice(from, to), next: to < MANY ? String(to) : null, total: MANY } });
  });
}

/** Scrolls in steps to the end of what grows while one scrolls; gives the longest time between two frames. */
const SCROLL_TO_END = `new Promise((resolve) => {
  const box = document.querySelector('.list-body');
  let longest = 0, last = performance.now(), still = 0, height = 0;
  function frame(now) {
    longest = Math.max(longest, now - last);
    last = now;
    box.scrollTop += 4000;
    still = box.scrollHeight === height && box.scrollTop + box.clientHeight >= box.scrollHeight - 2 ? still + 1 : 0;
    height = box.scrollHeight;
    if (still > 30) resolve(longest);
    else requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);
})`;
