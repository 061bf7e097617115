import assert from 'node:assert/strict';
import type { Check } from '../harness/check.ts';
import { shoot } from '../harness/shots.ts';

export const SIGN_IN_CHECKS: readonly Check[] = [
  {
    name: 'who has no session is asked to sign in, at the address they came for',
    async run(world) {
      const { page, close } = await world.open('vic', '/');
      await page.context().clearCookies();
      await page.goto(`${world.base}/incidents?severity=critical`);
      await page.getByRole('heading', { name: 'Sign in to Hephaisto' }).waitFor();
      assert.match(page.url(), /\/incidents\?severity=critical$/);
      await close();
    },
  },
  {
    name: 'a link that was followed and not pressed changes nothing, and one that was spent says so at once',
    async run(world) {
      const { status, body } = await world.write('ada', 'POST', '/api/v1/sign-in-links', { principal: 'vic' });
      assert.equal(status, 201, JSON.stringify(body));
      const { path } = body as { path: string };
      const { page, close } = await world.open('vic', '/');
      await page.context().clearCookies();
      await page.goto(world.base + path);
      await page.goto(world.base + path);
      await page.locator('[data-field="signing-in-as"]').waitFor();
      await shoot(page, 'sign-in');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: /Hephaisto/ }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/');
      await page.context().clearCookies();
      await page.goto(world.base + path);
      await page.locator('[data-field="link"][data-state="used"]').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Sign in' }).count(), 0, 'nothing is offered that must fail');
      await shoot(page, 'sign-in-used');
      await close();
    },
  },
  {
    name: 'the session’s cookie is out of reach of scripts, and a write without the session’s token is refused',
    async run(world) {
      const { page, close } = await world.open('rui', '/');
      await page.locator('[data-field="freshness"]').waitFor();
      assert.equal(await page.evaluate('document.cookie'), '');
      const status = await page.evaluate<number>(
        `fetch('/api/v1/switches/emergency_stop', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ value: 'on', reason: 'x' }) }).then((answer) => answer.status)`,
      );
      assert.equal(status, 403);
      await close();
    },
  },
  {
    name: 'signing out ends the session on the server too',
    async run(world) {
      const { body } = await world.write('ada', 'POST', '/api/v1/sign-in-links', { principal: 'vic' });
      const { page, close } = await world.open('vic', '/');
      await page.context().clearCookies();
      await page.goto(world.base + (body as { path: string }).path);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in to Hephaisto' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in to Hephaisto' }).waitFor();
      await close();
    },
  },
];
