import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { bestOf, type Measured } from '../harness/best-of.ts';
import type { Check } from '../harness/check.ts';
import { waitingIncident } from './story.ts';

const USABLE_WITHIN_MS = 1_000;
const MOST_SCRIPT_BYTES = 150 * 1024;

export const SPEED_CHECKS: readonly Check[] = [
  {
    name: 'the scripts of the first page are at most 150 KiB compressed',
    async run(world) {
      const context = await world.context('ana');
      const page = await context.newPage();
      await page.goto(`${world.base}/`);
      await page.locator('[data-field="coverage"]').waitFor();
      const names = await page.evaluate<string[]>(
        `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
      );
      let bytes = 0;
      for (const name of names) bytes += gzipSync(Buffer.from(await (await fetch(name)).arrayBuffer())).length;
      assert.ok(
        bytes > 10_000 && bytes <= MOST_SCRIPT_BYTES,
        `expected at most ${MOST_SCRIPT_BYTES} bytes, found ${bytes}`,
      );
      await context.close();
      return { scripts: names.length, gzipBytes: bytes };
    },
  },
  {
    name: 'inbox and incident are usable within a second of a cold load',
    async run(world) {
      const { path } = await waitingIncident(world);
      const inbox = await coldLoad(world, '/', '.inbox-row .button');
      const incident = await coldLoad(world, path, '[data-field="proposal"] .button');
      return {
        inboxMs: inbox.best,
        inboxMiddleMs: inbox.middle,
        incidentMs: incident.best,
        incidentMiddleMs: incident.middle,
      };
    },
  },
  {
    name: 'the switch that stops everything waits for no page: it is there before the page’s own code',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, troubles, close } = await world.open('ana', '/health');
      await page.locator('.component-row').first().waitFor();
      const held = Promise.withResolvers<void>();
      await page.route('**/assets/incident-*.js', async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.goto(world.base + path, { waitUntil: 'commit' });
      await page.getByText('Opening the page…').waitFor();
      await page.getByRole('button', { name: 'Stop all actions' }).click();
      await page.locator('[data-field="stop-sheet"]').waitFor();
      assert.equal(await page.locator('.incident').count(), 0);
      held.resolve();
      await page.locator('[data-field="verdict"]').waitFor({ state: 'attached' });
      assert.equal(await page.locator('[data-field="stop-sheet"]').count(), 1, 'what was begun is still there');
      assert.deepEqual(troubles, []);
      await close();
    },
  },
];

type World = Parameters<Check['run']>[0];

/** Loads, each in a browser profile that has seen nothing. */
function coldLoad(world: World, place: string, ready: string): Promise<Measured> {
  return bestOf(`a cold load of ${place}`, USABLE_WITHIN_MS, async () => {
    const context = await world.context('ana');
    const page = await context.newPage();
    const started = performance.now();
    await page.goto(world.base + place, { waitUntil: 'commit' });
    await page.locator(ready).first().waitFor();
    const took = performance.now() - started;
    await context.close();
    return took;
  });
}
