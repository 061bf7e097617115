import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';
import { approveState } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { prepareWaiting, replaceProposal } from './prepared.ts';
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
  {
    name: 'a proposal that runs out while one looks cannot be approved any more',
    async run(world) {
      const crowd = await world.crowd();
      const { path } = await prepareWaiting(crowd, { life: '8 seconds' });
      const { page, close } = await crowd.open('ana', `${path}?review=1`);
      await approveState(page, 'ready');
      await approveState(page, 'expired');
      assert.ok(await page.getByRole('button', APPROVE).isDisabled());
      await page.keyboard.press('Control+Enter');
      await shoot(page, 'review-expired');
      assert.equal(await page.locator('[data-field="voted"]').count(), 0);
      await close();
    },
  },
  {
    name: 'a proposal that another one replaced while one looks cannot be approved; the new one is offered, never slipped underneath',
    async run(world) {
      const crowd = await world.crowd();
      const prepared = await prepareWaiting(crowd, {});
      const { page, close } = await crowd.open('ana', `${prepared.path}?review=1`);
      await approveState(page, 'ready');
      const digest = await page.locator('[data-field="digest"]').getAttribute('title');
      await replaceProposal(crowd, prepared);
      await page.locator('[data-field="moved"]').waitFor();
      await approveState(page, 'replaced');
      assert.ok(await page.getByRole('button', APPROVE).isDisabled());
      assert.equal(await page.locator('[data-field="digest"]').getAttribute('title'), digest);
      await shoot(page, 'review-replaced');
      await page.getByRole('button', { name: 'Review again' }).click();
      await approveState(page, 'ready');
      assert.notEqual(await page.locator('[data-field="digest"]').getAttribute('title'), digest);
      await close();
    },
  },
  {
    name: 'an act that needs two can be approved after Review again, once its new diff, reason and name are there',
    async run(world) {
      const crowd = await world.crowd();
      const prepared = await prepareWaiting(crowd, { quorum: 2 });
      const { page, close } = await crowd.open('ana', `${prepared.path}?review=1`);
      await approveState(page, 'reason');
      await page.fill('#approve-reason', 'the first revision was reviewed');
      await page.fill('#approve-name', 'web');
      await approveState(page, 'ready');
      await replaceProposal(crowd, prepared);
      await page.getByRole('button', { name: 'Review again' }).click();
      // The typed name was for the revision that is gone.
      await approveState(page, 'name');
      await page.fill('#approve-name', 'web');
      await approveState(page, 'ready');
      await page.getByRole('button', APPROVE).click();
      await page.locator('[data-field="voted"]', { hasText: '1 of 2' }).waitFor();
      await close();
    },
  },
  {
    name: 'a change taller than five screens counts as seen once its end was in sight, and not before',
    async run(world) {
      const crowd = await world.crowd();
      const { path } = await prepareWaiting(crowd, { quorum: 2, fields: 120 });
      const { page, close } = await crowd.open('ana', `${path}?review=1`);
      await approveState(page, 'diff');
      const screens = await page.evaluate<number>(`document.querySelector('.diff').offsetHeight / innerHeight`);
      assert.ok(screens > 5, `expected a change taller than five screens, found ${screens}`);
      await page.evaluate(`document.querySelector('.diff ul').scrollIntoView({ block: 'start' })`);
      await page.fill('#approve-reason', 'only the top was in sight');
      await approveState(page, 'diff');
      await page.evaluate(`document.querySelector('.diff li:last-child').scrollIntoView({ block: 'center' })`);
      await approveState(page, 'name');
      await close();
    },
  },
  {
    name: 'an act that needs two asks for the diff, a reason and the target’s name; a wrong name is called wrong; one vote leaves it open',
    async run(world) {
      const { number } = await world.awaiting('two-approvers');
      const name = (await world.incident(number)).currentProposal?.action.target.name ?? '';
      const { page, close } = await world.open('ana', `/incidents/${number}?review=1`);
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
      await shoot(page, 'review-two-people');
      await button.click();
      await page.locator('[data-field="voted"]', { hasText: '1 of 2' }).waitFor();
      await approveState(page, 'voted');
      assert.ok(await button.isDisabled());
      const proposal = (await world.incident(number)).currentProposal;
      assert.equal(proposal?.state, 'Open');
      // What is half approved must not wait for the next run of the checks.
      const { status } = await world.write('ben', 'POST', `/api/v1/proposals/${proposal.id}/deny`, {
        digest: proposal.digest,
        reason: 'it was a check',
      });
      assert.equal(status, 200);
      await close();
    },
  },
];
