/** Text as text: nothing of it is markup afterwards, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#1d1b18"/><path d="M12 3.6c.5 2.6 3.6 3.7 3.6 7.1a3.6 3.6 0 0 1-7.2 0c0-1.5.7-2.4 1.3-3.2.2 1 .7 1.5 1.2 1.6-.2-2 .2-4 1.1-5.5Z" fill="#f0883e"/><path d="M5 16h14v1.2c-2 .2-3.3.8-3.9 2.1l.7 1.3H8.2l.7-1.3C8.300 18 7 17.400 5 17.200Z" fill="#f4f1ea"/></svg>',
)}`;

/** A whole page without scripts and without anything from elsewhere. `body` is markup. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
${body}
</body>
</html>
`;
}

export const STYLE = `:root { color-scheme: light dark; --bg: light-dark(#f4f3f0, #111214); --surface: light-dark(#ffffff, #191b1e);
  --ink: light-dark(#1b1a17, #eceae5); --ink-2: light-dark(#4d4a43, #b9b6ae); --line: light-dark(#e1dfd9, #2b2f34);
  --sunken: light-dark(#efeeea, #141618); --accent: light-dark(#1d5bb5, #86b4ff); --fill: light-dark(#1d5bb5, #2d6cc8);
  --bad: light-dark(#a8201a, #ff958c); --bad-soft: light-dark(#fcebe9, #371b1a); }
body { font: 16px/1.5 Inter, ui-sans-serif, system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; color: var(--ink);
  background: var(--bg); }
h1, h2, h3 { line-height: 1.2; }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); }
section { border-top: 2px solid var(--line); margin-top: 2rem; }
.method { font-weight: 700; }
.access { background: var(--sunken); border-radius: 0.3rem; padding: 0.1rem 0.4rem; font-size: 0.85em; }
.soft { color: var(--ink-2); }
.problem { border-left: 3px solid var(--bad); border-radius: 4px; background: var(--bad-soft); padding: 0.6rem 0.8rem; }
body:has(> .door) { display: grid; place-items: center; min-height: 100dvh; padding: 16px; box-sizing: border-box; font-size: 14px; }
.door { display: grid; gap: 12px; width: min(440px, 100%); box-sizing: border-box; padding: 24px; border: 1px solid var(--line);
  border-radius: 8px; background: var(--surface); box-shadow: 0 1px 2px rgb(0 0 0 / 0.08); }
.door h1 { display: flex; align-items: center; gap: 10px; font-size: 1.1875rem; }
.door h1, .door p { margin: 0; }
.door button { width: 100%; min-height: 44px; border: 0; border-radius: 6px; background: var(--fill); color: #fff; font: inherit;
  font-weight: 600; cursor: pointer; }
.door button:hover { filter: brightness(0.9); }
.door :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.ember { fill: light-dark(#b4530a, #f0a35c); }
.anvil { fill: currentcolor; }
`;
