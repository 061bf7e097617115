import assert from 'node:assert/strict';
import { violations } from '../harness/axe.ts';
import type { Check } from '../harness/check.ts';
import { allPages, drawn, whole } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { DESK, PHONE } from '../harness/world.ts';
import { waitingIncident } from './story.ts';

const SIZES = [
  ['desk', DESK],
  ['phone', PHONE],
] as const;

export const LOOK_CHECKS: readonly Check[] = [
  ...(['light', 'dark'] as const).flatMap((theme) =>
    SIZES.map(
      ([name, size]): Check => ({
        name: `no page has a fault that axe finds, ${theme}, ${name}; a picture of each is kept`,
        async run(world) {
          const { number } = await waitingIncident(world);
          const report = await world.incident(number);
          const { page, troubles, close } = await world.open('ana', '/', { size, theme });
          const found: string[] = [];
          for (const place of allPages(report)) {
            await page.goto(world.base + place.path);
            await drawn(page, place.ready);
            await whole(page);
            // The picture of a tab is of the tab, not of what stands above all of them.
            if (place.path.includes('tab=')) await page.evaluate(`document.getElementById('details').scrollIntoView()`);
            await shoot(page, `${place.name}-${name}-${theme}`);
            found.push(...(await violations(page)).map((fault) => `${place.name}: ${fault}`));
          }
          await page.context().clearCookies();
          await page.goto(`${world.base}/`);
          await drawn(page, '.door');
          await shoot(page, `signed-out-${name}-${theme}`);
          found.push(...(await violations(page)).map((fault) => `signed-out: ${fault}`));
          assert.deepEqual(found, []);
          assert.deepEqual(troubles, []);
          await close();
        },
      }),
    ),
  ),
  {
    name: 'an incident can be printed: no bars, no buttons, all of the verdict',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('ana', path);
      await drawn(page, '[data-field="verdict"]');
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.locator('.bar').isVisible(), false);
      assert.equal(await page.getByRole('button', { name: 'Review and approve' }).isVisible(), false);
      assert.equal(await page.locator('[data-field="cause"]').isVisible(), true);
      await shoot(page, 'print');
      await close();
    },
  },
  {
    name: 'a page whose data cannot be read says what is away, and shows what it had with its age',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('ana', path);
      await drawn(page, '[data-field="verdict"]');
      await page.route(/\/api\/v1\/(incidents|health)/, (route) =>
        route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          body: JSON.stringify({
            type: 'x',
            title: 'The database is away',
            status: 503,
            code: 'store-unavailable',
            detail: 'the database does not answer; try again',
          }),
        }),
      );
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      await page.locator('[data-field="old-data"]').waitFor({ timeout: 90_000 });
      await page.locator('[data-field="freshness"][data-state="stale"]').waitFor();
      assert.ok(await page.locator('[data-field="cause"]').isVisible(), 'the last known verdict stays');
      await shoot(page, 'old-data');
      await page.goto(`${world.base}${path}`);
      await page.getByRole('heading', { name: 'The database is away' }).waitFor({ timeout: 90_000 });
      await shoot(page, 'database-away');
      await close();
    },
  },
];
