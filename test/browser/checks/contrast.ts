import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { violations } from '../harness/axe.ts';
import type { Check } from '../harness/check.ts';
import { measureControls } from '../harness/contrast.ts';
import { allPages, drawn, whole } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { waitingIncident } from './story.ts';

/** Sheets and menus that a page shows only after a press. */
const OPENED: readonly { readonly name: string; open(page: Page): Promise<void> }[] = [
  {
    name: 'stop sheet',
    async open(page) {
      await page.getByRole('button', { name: 'Stop all actions' }).click();
      await page.getByLabel('Reason').fill('measuring colours');
    },
  },
  {
    name: 'help',
    async open(page) {
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
    },
  },
  {
    name: 'palette',
    async open(page) {
      await page.keyboard.press('Control+k');
      await page.locator('dialog[open]').waitFor();
    },
  },
];

export const CONTRAST_CHECKS: readonly Check[] = (['light', 'dark'] as const).map((theme) => ({
  name: `every control can be read at rest, under the pointer, focused, pressed and disabled, ${theme}`,
  async run(world) {
    const { number } = await waitingIncident(world);
    const report = await world.incident(number);
    const { page, close } = await world.open('ana', '/', { theme });
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: theme });
    const known = new Set<string>();
    const faults: string[] = [];
    let measured = 0;
    const measure = async (place: string, shown = page): Promise<void> => {
      const found = await measureControls(shown, known);
      measured += found.measured;
      faults.push(...found.faults.map((fault) => `${place}: ${fault}`));
    };
    for (const place of allPages(report)) {
      await page.goto(world.base + place.path);
      await drawn(page, place.ready);
      await whole(page);
      await measure(place.name);
    }
    for (const { name, open } of OPENED) {
      await page.goto(world.base);
      await whole(page);
      await open(page);
      await measure(name);
      await page.keyboard.press('Escape');
    }
    const admin = await world.open('ada', '/rights', { theme });
    await admin.page.emulateMedia({ reducedMotion: 'reduce', colorScheme: theme });
    await drawn(admin.page, '[data-field="rights"] table');
    await measure('rights', admin.page);
    faults.push(...(await violations(admin.page)).map((fault) => `rights: ${fault}`));
    await shoot(admin.page, `rights-${theme}`);
    await admin.close();
    await page.goto(world.base);
    await whole(page);
    await page.getByRole('button', { name: 'Stop all actions' }).click();
    await page.getByLabel('Reason').fill('measuring colours');
    await page.getByRole('button', { name: /Stop all actions now/ }).hover();
    await shoot(page, `stop-under-pointer-${theme}`);
    assert.deepEqual(faults, []);
    assert.ok(measured >= 100, `expected at least 100 states of controls, found ${measured}`);
    await close();
    return { measured };
  },
}));
