import assert from 'node:assert/strict';
import type { IncidentSummary } from '@hephaisto/core/report/incident';
import type { Switch } from '@hephaisto/core/report/installation';
import { bestOf, SELDOM } from '../harness/best-of.ts';
import type { Check } from '../harness/check.ts';
import { approveState } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { WAITING_STORY, waitingIncident } from './story.ts';

const SHOWN_WITHIN_MS = 1_000;

export const STOP_CHECKS: readonly Check[] = [
  {
    name: 'the stop is one press and a reason on every page, and everybody sees it within a second; lifting asks more',
    async run(world) {
      try {
        const { best } = await bestOf(
          'the stop shown in the other browser',
          SHOWN_WITHIN_MS,
          // Another one each time: a stop makes void what it finds open.
          async () => stopAndLift(world, (await waitingIncident(world)).path),
          SELDOM,
        );
        return { shownMs: best };
      } finally {
        await surelyLifted(world);
      }
    },
  },
  {
    name: 'the bar states the mode that is in force, and says unknown where it could not be read',
    async run(world) {
      const barSays = async (state: string, answer: (body: object) => object | undefined): Promise<string | null> => {
        const context = await world.context('vic');
        const page = await context.newPage();
        await page.route(/\/api\/v1\/(health|switches)$/, async (route) => {
          const read = await route.fetch();
          const body = answer((await read.json()) as object);
          return body === undefined ? route.abort() : route.fulfill({ response: read, json: body });
        });
        await page.goto(`${world.base}/`);
        await page.getByRole('heading', { name: 'Needs you' }).waitFor();
        const bar = page.locator(`[data-field="switch"][data-state="${state}"]`);
        await bar.waitFor({ state: 'attached' });
        const words = await bar.textContent();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await context.close();
        return words;
      };
      const mode = (name: string) => (body: object) =>
        'actions' in body ? { ...body, actions: { enabled: false, mode: name, emergencyStop: false } } : body;
      assert.equal(await barSays('unknown', () => undefined), 'Actions: unknown');
      assert.equal(await barSays('held', mode('observe')), 'Actions: observe');
      assert.equal(await barSays('acting', mode('auto')), 'Actions: auto');
    },
  },
  {
    name: 'a proposal that the stop made void can be made anew by a person, from fresh facts',
    async run(world) {
      const { items } = await world.get<{ items: IncidentSummary[] }>('vic', '/api/v1/incidents?state=Escalated');
      const row = items.find(({ namespace }) => namespace?.startsWith(`${WAITING_STORY}-`) === true);
      if (row !== undefined) {
        const { page, close } = await world.open('rui', `/incidents/${row.number}`);
        await page.getByRole('button', { name: 'Propose again' }).click();
        await page.getByLabel('Why now?').fill('the stop is lifted');
        await shoot(page, 'propose-again');
        await page.locator('dialog').getByRole('button', { name: 'Propose again' }).click();
        await page.locator('[data-field="proposal"][data-state="Open"]').waitFor();
        await close();
      }
      await waitingIncident(world);
    },
  },
];

type World = Parameters<Check['run']>[0];

/** Gives the milliseconds from the answer in one browser to the banner in another. */
async function stopAndLift(world: World, path: string): Promise<number> {
  const rui = await world.open('rui', '/health');
  const ana = await world.open('ana', `${path}?review=1`);
  await approveState(ana.page, 'ready');
  await rui.page.getByRole('button', { name: 'Stop all actions' }).click();
  await rui.page.getByLabel('Reason').fill('trying the brake');
  const answered = rui.page.waitForResponse((answer) => answer.request().method() === 'PUT');
  await rui.page.getByRole('button', { name: /Stop all actions now/ }).click();
  assert.equal((await answered).status(), 200);
  const since = performance.now();
  await ana.page.locator('[data-field="stop-banner"]').waitFor({ state: 'attached' });
  const took = performance.now() - since;
  await approveState(ana.page, 'stopped');
  assert.ok(await ana.page.getByRole('button', { name: /Approve and run/ }).isDisabled());
  await ana.page.keyboard.press('Escape');
  const banner = (await ana.page.locator('[data-field="stop-banner"]').textContent()) ?? '';
  assert.match(banner, /Rui/);
  assert.match(banner, /trying the brake/);
  await shoot(ana.page, 'stopped');
  await rui.page.getByRole('button', { name: 'Lift the stop' }).click();
  await rui.page.getByText(/Lifting needs admin/).waitFor();
  const ada = await world.open('ada', '/');
  await ada.page.getByRole('button', { name: 'Lift the stop' }).click();
  const lift = ada.page.getByRole('button', { name: 'Let actions run again' });
  await ada.page.getByLabel('Reason').fill('it was a try');
  assert.ok(await lift.isDisabled(), 'a reason alone does not lift it');
  await ada.page.getByLabel('Type resume').fill('resume');
  await shoot(ada.page, 'stop-lift');
  await lift.click();
  await ana.page.locator('[data-field="stop-banner"]').waitFor({ state: 'detached' });
  for (const open of [rui, ana, ada]) {
    assert.deepEqual(open.troubles, []);
    await open.close();
  }
  return took;
}

/** A check that failed half-way must not leave everything stopped for the ones behind it. */
async function surelyLifted(world: World): Promise<void> {
  const { items } = await world.get<{ items: Switch[] }>('ada', '/api/v1/switches');
  const stop = items.find(({ name }) => name === 'emergency_stop');
  if (stop?.effective !== 'on') return;
  await world.write(
    'ada',
    'PUT',
    '/api/v1/switches/emergency_stop',
    { value: 'off', reason: 'end of a check' },
    stop.version,
  );
}
