import { PROBLEMS } from '@hephaisto/core/report/problem';
import { ACCESS, type Access, isRouteKey } from '../access-table.ts';
import { escapeHtml, htmlPage } from './html.ts';

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: unknown;
  }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: unknown }>> };
}

export interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The API as one readable page, made from its OpenAPI document. */
export function referencePage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(method.toUpperCase(), path, operation)),
  );
  return htmlPage(
    'API · Hephaisto',
    `<main>
<h1>Hephaisto API</h1>
<p>Everything below is in <a href="/api/v1/openapi.json">the OpenAPI document</a>. Programs send <code>Authorization: Bearer …</code>; a
browser’s session sends its cookie and, with every write, <code>X-CSRF-Token</code> as <code>GET /api/v1/session</code> gives it.
Writes take <code>Idempotency-Key</code>. Refusals are problem documents with a stable <code>code</code>.</p>
${operations.join('\n')}
<section><h2>Problem codes</h2>
<table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>
${Object.entries(PROBLEMS)
  .map(
    ([code, kind]) => `<tr><td><code>${code}</code></td><td>${kind.status}</td><td>${escapeHtml(kind.title)}</td></tr>`,
  )
  .join('\n')}
</tbody></table></section>
</main>`,
  );
}

function section(method: string, path: string, operation: Operation): string {
  const key = `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const access = isRouteKey(key) ? spell(ACCESS[key]) : '';
  return `<section>
<h2><span class="method">${method}</span> <code>${escapeHtml(path)}</code> <span class="access">${escapeHtml(access)}</span></h2>
<p>${escapeHtml(operation.summary ?? '')}</p>
${operation.description === undefined ? '' : `<p>${escapeHtml(operation.description)}</p>`}
${parameters(operation)}
${body(operation)}
</section>`;
}

function spell(access: Access): string {
  switch (access.kind) {
    case 'role':
      return `${access.role}${access.scope === 'everywhere' ? ' everywhere' : ''}`;
    case 'signed-in':
      return 'any account';
    case 'open':
      return 'open';
    case 'link':
      return 'one-time link';
    case 'webhook':
      return 'webhook token';
  }
}

function parameters(operation: Operation): string {
  const rows = (operation.parameters ?? []).map(
    (p) =>
      `<tr><td><code>${escapeHtml(p.name)}</code></td><td>${escapeHtml(p.in)}${p.required === true ? ', required' : ''}</td><td>${escapeHtml(p.description ?? '')}</td></tr>`,
  );
  if (rows.length === 0) return '';
  return `<table><thead><tr><th>parameter</th><th>in</th><th>meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function body(operation: Operation): string {
  const schema = operation.requestBody?.content?.['application/json']?.schema;
  if (schema === undefined) return '';
  return `<h3>Body</h3><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`;
}
