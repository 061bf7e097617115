import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';
import { approveState } from '../harness/pages.ts';
import { shoot } from '../harness/shots.ts';
import { PHONE } from '../harness/world.ts';
import { waitingIncident } from './story.ts';

export const ROLE_CHECKS: readonly Check[] = [
  {
    name: 'a viewer sees the same buttons, off, each with the role that is missing',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, troubles, close } = await world.open('vic', path);
      await page.locator('[data-field="verdict"]').waitFor();
      const note = page.getByRole('button', { name: 'Note' });
      assert.equal(await note.getAttribute('aria-disabled'), 'true');
      assert.match((await note.getAttribute('title')) ?? '', /needs responder/);
      const panel = page.locator('[data-field="proposal"]');
      assert.ok(await panel.getByRole('button', { name: 'Deny' }).isDisabled());
      await panel.getByRole('button', { name: 'Review', exact: true }).click();
      await approveState(page, 'no-right');
      assert.ok(await page.getByRole('button', { name: /Approve and run/ }).isDisabled());
      assert.match(
        (await page.locator('[data-field="approve-state"]').textContent()) ?? '',
        /needs approver for bad-rollout/,
      );
      await shoot(page, 'review-viewer');
      assert.deepEqual(troubles, []);
      await close();
    },
  },
  {
    name: 'on a phone a viewer reads why each button is off, for a finger cannot point and ask',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('vic', path, { size: PHONE });
      const bar = page.locator('.phone-bar');
      await bar.locator('[data-field="why-off"]').waitFor();
      const why = (await bar.locator('[data-field="why-off"]').textContent()) ?? '';
      assert.match(why, /Deciding needs approver for bad-rollout/);
      // In a demo that has been looked at before, somebody may have acknowledged it already.
      if ((await bar.getByRole('button', { name: 'Ack' }).count()) > 0) assert.match(why, /Ack needs responder/);
      assert.ok(await bar.getByRole('button', { name: 'Deny' }).isDisabled());
      assert.ok(await bar.getByRole('button', { name: 'Review' }).isEnabled(), 'all of it may be read');
      await shoot(page, 'viewer-phone');
      await close();
    },
  },
  {
    name: 'an admin finds the rights in the menu, revokes one by keyboard, and a person without the role is told so',
    async run(world) {
      const made = await world.write('ada', 'POST', '/api/v1/tokens', { principal: 'ci-of-rights', role: 'viewer' });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { page, troubles, close } = await world.open('ada', '/');
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('link', { name: 'Rights of accounts' }).click();
      const revoke = page.getByRole('button', { name: 'Revoke viewer of ci-of-rights' });
      await revoke.waitFor();
      await shoot(page, 'rights');
      await revoke.focus();
      await page.keyboard.press('Enter');
      const sheet = page.locator('[data-field="revoke-grant"]');
      await sheet.getByRole('button', { name: 'Revoke', exact: true }).press('Enter');
      await page.locator('[data-grant]', { hasText: 'ci-of-rights' }).first().waitFor({ state: 'detached' });
      await shoot(page, 'rights-revoked');
      assert.deepEqual(troubles, []);
      await close();
      const vic = await world.open('vic', '/rights');
      await vic.page.getByText('Your role may not read this').waitFor();
      await vic.close();
    },
  },
  {
    name: 'the server refuses what the page would not have offered',
    async run(world) {
      const { number } = await waitingIncident(world);
      const proposal = (await world.incident(number)).currentProposal;
      assert.ok(proposal !== null);
      for (const person of ['vic', 'rui'] as const) {
        const { status, body } = await world.write(person, 'POST', `/api/v1/proposals/${proposal.id}/approve`, {
          digest: proposal.digest,
        });
        assert.equal(status, 403, person);
        assert.equal((body as { code: string }).code, 'role-missing');
      }
    },
  },
  {
    name: 'a responder acknowledges, and it stands on the page',
    async run(world) {
      const { path } = await waitingIncident(world);
      const { page, close } = await world.open('rui', path);
      const ack = page.getByRole('button', { name: 'Ack a' });
      await page.locator('[data-field="owner"]').first().waitFor();
      // In a demo that has been looked at before, somebody may have done it already.
      if ((await ack.count()) > 0) await ack.click();
      await page.locator('[data-field="owner"]', { hasText: 'seen by' }).waitFor();
      await close();
    },
  },
];
