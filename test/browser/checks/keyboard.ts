import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';
import { shoot } from '../harness/shots.ts';
import { waitingIncident } from './story.ts';

export const KEYBOARD_CHECKS: readonly Check[] = [
  {
    name: 'everything can be reached by keys: pages, rows, evidence, review, help, and back',
    async run(world) {
      const { number } = await waitingIncident(world);
      const { page, troubles, close } = await world.open('ana', '/');
      await page.locator('.inbox-row').first().waitFor();
      await page.keyboard.press('?');
      await page.locator('[data-field="help"]').waitFor();
      await shoot(page, 'help');
      await page.keyboard.press('Escape');
      await page.locator('[data-field="help"]').waitFor({ state: 'detached' });
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.locator('[data-field="verdict"]').waitFor();
      await page.keyboard.press('e');
      await page.locator('[data-field="tab-evidence"]').waitFor();
      await page.keyboard.press('h');
      await page.locator('[data-field="tab-hypotheses"]').waitFor();
      await page.keyboard.press('t');
      await page.locator('[data-field="tab-timeline"]').waitFor();
      await page.keyboard.press('v');
      await page.locator('[data-field="review-sheet"]').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('[data-field="review-sheet"]').waitFor({ state: 'detached' });
      const note = page.getByRole('button', { name: 'Note', exact: true });
      await note.press('Enter');
      await page.getByLabel('Note', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      const focused = await page.evaluate<string>('document.activeElement.textContent');
      assert.equal(focused, 'Note', 'the focus is back at the button that opened the sheet');
      for (const [keys, heading] of [
        ['ga', 'Approvals'],
        ['gc', 'Actions'],
        ['gh', 'Coverage and health'],
        ['gl', 'Incidents'],
      ] as const) {
        for (const key of keys) await page.keyboard.press(key);
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      }
      await page.keyboard.press('/');
      assert.equal(await page.evaluate('document.activeElement.type'), 'search');
      await page.keyboard.type('g');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.keyboard.type(`#${number} `);
      await page.keyboard.press('Enter');
      await page.locator(`.incident[data-incident="${number}"]`).waitFor();
      assert.deepEqual(troubles, []);
      await close();
    },
  },
  {
    name: 'no single key approves, denies or stops',
    async run(world) {
      const { path, number } = await waitingIncident(world);
      const { page, close } = await world.open('ana', path);
      const writes: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET' && !request.url().endsWith('/ack'))
          writes.push(`${request.method()} ${request.url()}`);
      });
      await page.locator('[data-field="verdict"]').waitFor();
      for (const place of [path, `${path}?review=1`]) {
        await page.goto(world.base + place);
        await page.locator('[data-field="verdict"]').waitFor();
        for (const key of 'bcdfilmnopqswxyzABCDYPN0123456789,;-') await page.keyboard.press(key);
      }
      assert.deepEqual(writes, []);
      assert.equal((await world.incident(number)).currentProposal?.state, 'Open');
      await close();
    },
  },
  {
    name: 'what has the focus is seen to have it',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('ana', path);
      await page.locator('[data-field="verdict"]').waitFor();
      for (let press = 0; press < 14; press += 1) {
        await page.keyboard.press('Tab');
        const ring = await page.evaluate<{ width: string; style: string; name: string }>(
          `(() => { const element = document.activeElement; const own = getComputedStyle(element); const after = getComputedStyle(element, '::after'); const shown = own.outlineStyle !== 'none' ? own : after; return { width: shown.outlineWidth, style: shown.outlineStyle, name: element.outerHTML.slice(0, 120) }; })()`,
        );
        assert.ok(ring.style !== 'none' && Number.parseFloat(ring.width) >= 2, `expected a ring on ${ring.name}`);
      }
      await close();
    },
  },
  {
    name: 'single keys can be turned off, and the two zones of time swapped',
    async run(world) {
      const { page, close } = await world.open('ana', '/health', { zone: 'Asia/Tokyo' });
      await page.locator('.component-row').first().waitFor();
      const clock = page.locator('button.clock');
      assert.match((await clock.textContent()) ?? '', /^\d\d:\d\d:\d\d GMT\+9/);
      await page.keyboard.press('u');
      assert.match((await clock.textContent()) ?? '', /^\d\d:\d\d:\d\d UTC/);
      await page.keyboard.press('u');
      await page.keyboard.press('?');
      await page.getByLabel('Single keys as shortcuts in this browser').uncheck();
      await page.keyboard.press('Escape');
      await page.locator('[data-field="help"]').waitFor({ state: 'detached' });
      await page.keyboard.press('u');
      assert.match((await clock.textContent()) ?? '', /GMT\+9/);
      await close();
    },
  },
];
