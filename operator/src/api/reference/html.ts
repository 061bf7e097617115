/** Text as text: nothing of it is markup afterwards, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A whole page without scripts and without anything from elsewhere. `body` is markup. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
${body}
</body>
</html>
`;
}

export const STYLE = `:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.2; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); }
section { border-top: 2px solid var(--line); margin-top: 2rem; }
.method { font-weight: 700; }
.access { background: var(--soft); border-radius: 0.3rem; padding: 0.1rem 0.4rem; font-size: 0.85em; }
button { font: inherit; padding: 0.6rem 1.2rem; }
.problem { border-left: 4px solid #c33; padding-left: 0.8rem; }
`;
