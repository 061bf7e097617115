import type { LinkState } from '../auth/sessions.ts';
import { escapeHtml, htmlPage } from './html.ts';

const MARK = `<svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true"><path class="ember" d="M12 2c.6 3.1 4.3 4.4 4.3 8.4a4.3 4.3 0 0 1-8.6 0c0-1.8.9-2.9 1.6-3.8.2 1.2.8 1.8 1.4 1.9-.2-2.4.2-4.7 1.3-6.5Z"/><path class="anvil" d="M3.5 16.3h17v1.5c-2.4.2-4 1-4.7 2.5l.8 1.7H7.4l.8-1.7c-.8-1.5-2.4-2.3-4.7-2.5Z"/></svg>`;

/** What a person finds behind a one-time link: who it signs in as and the one button that spends it, or at once why it cannot be spent. */
export function signInPage(token: string, link: LinkState | undefined): string {
  const main =
    link !== undefined && link.kind !== 'good'
      ? `<p class="problem" role="alert" data-field="link" data-state="${link.kind}">${dead(link)}</p>\n${NEXT}`
      : token === ''
        ? `<p>Open the one-time link that was printed at start, or ask an admin for one.</p>\n${CONSOLE}`
        : form(token, link);
  return htmlPage(
    'Sign in · Hephaisto',
    `<main class="door">\n<h1>${MARK} Sign in to Hephaisto</h1>\n${main}\n</main>`,
  );
}

/** `link` undefined: it could not be looked up now, which the press will say if it still holds. */
function form(token: string, link: Extract<LinkState, { readonly kind: 'good' }> | undefined): string {
  const who =
    link === undefined
      ? ''
      : `<p data-field="signing-in-as">As <strong>${escapeHtml(link.name)}</strong>, ${escapeHtml(rolesText(link))}.</p>\n`;
  const until = link === undefined ? '' : `, until ${instant(link.expiresAt)}`;
  return `${who}<form method="post" action="/sign-in">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button type="submit">Sign in</button>
</form>
<p class="soft">The link works once${until}. Opening this page has not used it.</p>`;
}

function dead(link: Exclude<LinkState, { readonly kind: 'good' }>): string {
  switch (link.kind) {
    case 'used':
      return `This link was used at ${instant(link.at)}. Each link signs in once. If that was not you, tell an admin.`;
    case 'expired':
      return `This link ran out at ${instant(link.at)}.`;
    case 'unknown':
      return 'This link is not known here. It may have been cut short when it was copied.';
  }
}

const CONSOLE = '<p>Already signed in with this browser? <a href="/">Open the console</a>.</p>';
const NEXT = `<p>Ask an admin for a new link; on loopback each start prints a new one for the first admin.</p>\n${CONSOLE}`;

function rolesText({ grants }: Extract<LinkState, { readonly kind: 'good' }>): string {
  if (grants.length === 0) return 'without a role';
  return grants
    .map(({ role, namespace }) => (namespace === '' ? role : `${role} for the namespace ${namespace}`))
    .join(', ');
}

/** The server does not know the reader's zone, so it names its own; nor when the page is read, so the day stands beside the hour. */
function instant(at: Date): string {
  const iso = at.toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
