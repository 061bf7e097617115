import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';
import type { World } from '../harness/world.ts';

export const RESTART_CHECKS: readonly Check[] = [
  {
    name: 'a server that goes away and comes back under an open page is shown as such, without a reload',
    async run(world) {
      const { page, troubles, close } = await world.open('ana', '/');
      await page.locator('[data-field="freshness"][data-state="live"]').waitFor();
      await page.evaluate(`window.sameDocument = true`);
      const back = takeAway(world, page);
      await page
        .locator('[data-field="freshness"][data-state="stale"], [data-field="freshness"][data-state="offline"]')
        .waitFor({ timeout: 90_000 });
      await (await back)();
      await page.locator('[data-field="freshness"][data-state="live"]').waitFor({ timeout: 180_000 });
      assert.equal(await page.evaluate('window.sameDocument'), true);
      assert.deepEqual(troubles, []);
      await close();
    },
  },
];

type OpenPage = Awaited<ReturnType<World['open']>>['page'];

/** Restarts our own demo; of somebody else's, only the way to it is closed for a while. Gives what brings it back. */
async function takeAway(world: World, page: OpenPage): Promise<() => Promise<void>> {
  if (world.demo.restart !== undefined) {
    const restarted = world.demo.restart();
    return () => restarted;
  }
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await page.context().setOffline(true);
  return async () => {
    await page.unroute('**/api/**');
    await page.context().setOffline(false);
  };
}
