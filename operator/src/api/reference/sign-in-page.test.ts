import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInPage } from './sign-in-page.ts';

const AT = new Date('2026-11-29T23:05:10Z');
const GOOD = { kind: 'good', name: 'Ana', grants: [], expiresAt: AT } as const;

test('each moment is told with its day and zone, for the page may be read on another', () => {
  const pages = [
    signInPage('t', GOOD),
    signInPage('t', { kind: 'used', at: AT }),
    signInPage('t', { kind: 'expired', at: AT }),
  ];
  for (const page of pages)
    assert.match(page, /<time datetime="2026-11-29T23:05:10.000Z">2026-11-29 23:05 UTC<\/time>/);
});

test('whoever holds a dead link is told where a new one comes from, and only what is true of it', () => {
  const page = signInPage('t', { kind: 'unknown' });
  assert.match(page, /Ask an admin for a new link; on loopback each start prints a new one for the first admin/);
  assert.doesNotMatch(page, /<button/);
});
