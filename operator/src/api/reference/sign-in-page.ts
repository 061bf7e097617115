import { escapeHtml, htmlPage } from './html.ts';

/** The page behind a one-time link: one button that spends it. Without a token, or after a refusal, it says what to do. */
export function signInPage(token: string, refusal: string | undefined): string {
  const said = refusal === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(refusal)}</p>`;
  const form =
    token === ''
      ? '<p>Open the one-time link that was printed at start, or ask an admin for one.</p>'
      : `<form method="post" action="/sign-in">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<p>This link works once.</p>
<button type="submit">Sign in</button>
</form>`;
  return htmlPage('Sign in · Hephaisto', `<main>\n<h1>Sign in to Hephaisto</h1>\n${said}\n${form}\n</main>`);
}
