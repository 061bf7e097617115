import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Check } from '../harness/check.ts';
import { drawn, whole } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { DESK, PHONE } from '../harness/world.ts';
import { waitingIncident } from './story.ts';

/** What an incident’s first screen must hold, by the words that the page marks it with. */
const FIRST_SCREEN = [
  'freshness',
  'severity',
  'state',
  'age',
  'occurrences',
  'object',
  'cause',
  'certainty',
  'evidence',
  'proposal-title',
  'blast-radius',
  'risk',
  'undo',
  'policy',
  'expiry',
  'changed',
  'impact',
  'ready',
  'restarts',
];

export const FOLD_CHECKS: readonly Check[] = [
  ...[DESK, PHONE].map(
    (size): Check => ({
      name: `the five answers stand on the first screen of ${size.width}×${size.height}`,
      async run(world) {
        const { path } = await waitingIncident(world);
        const { page, troubles, close } = await world.open('ana', path, { size });
        await drawn(page, '[data-field="impact"] svg');
        const bottom = await lowestSeen(page, size.height);
        for (const field of FIRST_SCREEN) {
          const box = await page.locator(`[data-field="${field}"]`).first().boundingBox();
          assert.ok(box !== null, `expected the field ${field} on the page`);
          assert.ok(
            box.y >= 0 && box.y + box.height <= bottom,
            `expected ${field} above ${bottom} px, found it from ${box.y} to ${box.y + box.height}`,
          );
          assert.ok(
            box.x >= 0 && box.x + box.width <= size.width + 1,
            `expected ${field} within the width, found ${box.x} to ${box.x + box.width}`,
          );
        }
        assert.equal(
          await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth'),
          false,
          'nothing scrolls sideways',
        );
        assert.deepEqual(troubles, []);
        await shoot(page, `fold-${size.width}`);
        await close();
      },
    }),
  ),
  {
    name: 'everything a thumb presses on a phone is at least 44 px high',
    async run(world) {
      const { path } = await waitingIncident(world);
      for (const place of ['/', path, `${path}?review=1`, '/approvals']) {
        const { page, close } = await world.open('ana', place, { size: PHONE });
        await whole(page);
        await page.locator('main button, main a.button').first().waitFor();
        const small = await page.evaluate<string[]>(SMALL_TARGETS);
        assert.deepEqual(small, [], `on ${place}`);
        await close();
      }
    },
  },
];

/** Where the first screen ends: above a bar that is fixed to its bottom. */
async function lowestSeen(page: Page, height: number): Promise<number> {
  const bar = await page.locator('.phone-bar').boundingBox();
  return bar === null ? height : bar.y;
}

/** Buttons (not links within text) in sight whose area, with what extends it, is lower than a thumb. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, a.button, .phone-bar a')].filter((element) => {
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.bottom < 0 || box.top > innerHeight || element.classList.contains('link') || element.classList.contains('clock')) return false;
  const after = getComputedStyle(element, '::after');
  const extra = after.content !== 'none' && after.position === 'absolute' ? -(parseFloat(after.top) || 0) - (parseFloat(after.bottom) || 0) : 0;
  return box.height + extra < 43.5;
}).map((element) => (element.getAttribute('aria-label') ?? element.textContent) + ' ' + element.getBoundingClientRect().height)`;
