import assert from 'node:assert/strict';
import { type ReportChange, withReport } from '../harness/altered.ts';
import type { Check } from '../harness/check.ts';
import { approveState } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { waitingIncident } from './story.ts';

const APPROVE = { name: /Approve and run/ } as const;

export const REVIEW_CHECKS: readonly Check[] = [
  {
    name: 'the review shows what will be sent, what it touches, why policy asks, the undo, how one will know, and the digest',
    async run(world) {
      const { path, number } = await waitingIncident(world);
      const proposal = (await world.incident(number)).currentProposal;
      assert.ok(proposal !== null);
      const { page, troubles, close } = await world.open('ana', `${path}?review=1`);
      const sheet = page.locator('[data-field="review-sheet"]');
      await sheet.waitFor();
      const text = (await sheet.textContent()) ?? '';
      for (const field of proposal.diff) {
        assert.ok(text.includes(field.path), `the path ${field.path}`);
        if (field.to !== null) assert.ok(text.includes(field.to), `the new value ${field.to}`);
      }
      for (const gate of proposal.gates.filter(({ verdict }) => verdict === 'ask'))
        assert.ok(text.includes(gate.message), gate.gate);
      for (const part of ['blast-radius', 'undo', 'gates', 'how-known', 'digest'])
        assert.equal(await sheet.locator(`[data-field="${part}"]`).count(), 1, part);
      assert.equal(await sheet.locator('[data-field="digest"]').getAttribute('title'), proposal.digest);
      assert.ok(await page.getByRole('button', APPROVE).isEnabled());
      await page.getByRole('button', { name: 'unified' }).click();
      assert.equal(await sheet.locator('.diff').getAttribute('data-form'), 'unified');
      await page.getByRole('button', { name: 'side by side' }).click();
      await shoot(page, 'review-open');
      assert.deepEqual(troubles, []);
      await close();
    },
  },
  blocked('a proposal that runs out while one looks cannot be approved any more', 'expired', (report) => {
    if (report.currentProposal !== null) report.currentProposal.secondsLeft = 2;
  }),
  blocked('a proposal that another revision replaced cannot be approved', 'replaced', (report) => {
    if (report.currentProposal !== null) report.currentProposal.state = 'Superseded';
  }),
  {
    name: 'a risky act asks for the diff, a reason and the target’s name; a wrong name is called wrong',
    async run(world) {
      const { path, number } = await waitingIncident(world);
      const name = (await world.incident(number)).currentProposal?.action.target.name ?? '';
      const { page, close } = await world.open('ana', '/');
      await withReport(page, (report) => {
        if (report.currentProposal !== null) report.currentProposal.action.risk = 'high';
      });
      await page.goto(`${world.base}${path}?review=1`);
      const button = page.getByRole('button', APPROVE);
      const state = page.locator('[data-field="approve-state"][data-state]');
      await approveState(page, 'reason');
      assert.ok(await button.isDisabled());
      await page.fill('#approve-reason', 'looked at it');
      await approveState(page, 'name');
      await page.fill('#approve-name', `${name}x`);
      assert.equal(await state.getAttribute('data-state'), 'name-mismatch');
      await page.fill('#approve-name', name);
      assert.equal(await state.getAttribute('data-state'), 'ready');
      assert.ok(await button.isEnabled());
      await shoot(page, 'review-high-risk');
      await close();
    },
  },
];

/** Opens the review with an altered report and expects the button to be off for the reason. */
function blocked(name: string, code: string, change: ReportChange): Check {
  return {
    name,
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('ana', '/');
      await withReport(page, change);
      await page.goto(`${world.base}${path}?review=1`);
      await approveState(page, code);
      assert.ok(await page.getByRole('button', APPROVE).isDisabled());
      await page.keyboard.press('Control+Enter');
      await shoot(page, `review-${code}`);
      assert.equal(await page.locator('[data-field="voted"]').count(), 0);
      await close();
    },
  };
}
