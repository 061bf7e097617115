import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiExtension } from './extension.ts';
import { escapeHtml } from './reference/html.ts';

/** Pages that the console draws itself; the server answers each with the same document. */
const CONSOLE_PAGES = [
  '/',
  '/incidents',
  '/incidents/:id',
  '/incidents/:id/evidence/:step',
  '/incidents/:id/transcript',
  '/incidents/*',
  '/approvals',
  '/actions',
  '/health',
  '/rights',
  '/stories',
] as const;

/** Only the demo has it. */
const STORIES = '/demo/stories';

/** Everything that the console adds to the routes, for the table that says who may call what. All are open: they hold no data. */
const CONSOLE_ROUTES = [
  ...CONSOLE_PAGES.map((path) => `GET ${path}` as const),
  'GET /assets/*',
  'GET /mark.svg',
  // Every other path: a person gets the console's own page about it, a program the problem.
  'GET /*',
] as const;

/** No script or style but our own files, nothing from elsewhere, no frame around or inside. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const BUILT = fileURLToPath(new URL('../../console/dist', import.meta.url));

/** Folder of the console where it has been built; without one the API's reference page stands at `/`. */
export function builtConsole(): string | undefined {
  return existsSync(join(BUILT, 'index.html')) ? BUILT : undefined;
}

/** The console as an extension of the API: its files are open to whoever reaches the port, since they hold no data. */
export function consoleExtension(folder: string): ApiExtension {
  return {
    access: Object.fromEntries(CONSOLE_ROUTES.map((route) => [route, { kind: 'open' }] as const)),
    register: (app) => registerConsole(app, { folder }),
  };
}

/**
 * Serves the built console from `folder` (what `buildConsole` returned). The document is never kept by a browser; the files beside it carry
 * their digest in their name and are kept for a year. Throws when the folder holds no `index.html`.
 */
async function registerConsole(app: FastifyInstance, options: { readonly folder: string }): Promise<void> {
  const document = readFileSync(join(options.folder, 'index.html'), 'utf8');
  const outside = { schema: { hide: true }, config: { rateLimit: false as const } };
  await app.register(fastifyStatic, {
    root: options.folder,
    serve: false,
    index: false,
    dotfiles: 'deny',
    preCompressed: true,
  });
  const early = earlyIn(options.folder);
  const answer = (path: string) => (request: FastifyRequest, reply: FastifyReply) => {
    const { reads, files } = linksOf(early[path], request.params as Readonly<Record<string, string>>);
    // Looked up when asked: the stories' routes may be registered after these.
    const stories = app.hasRoute({ method: 'GET', url: STORIES }) ? '<meta name="demo" content="stories">' : '';
    return guarded(reply)
      .type('text/html; charset=utf-8')
      .send(
        document.replace('</title>', () => `</title>${stories}${reads}`).replace('</head>', () => `${files}</head>`),
      );
  };
  for (const path of CONSOLE_PAGES) app.get(path, outside, async (request, reply) => answer(path)(request, reply));
  app.get('/assets/*', outside, async (request, reply) => {
    const file = (request.params as { '*': string })['*'];
    return reply.sendFile(`assets/${file}`, { maxAge: '365d', immutable: true });
  });
  app.get('/mark.svg', outside, async (_request, reply) => reply.sendFile('mark.svg', { maxAge: '1d' }));
  app.get('/*', outside, async (request, reply) =>
    wantsPage(request) ? answer('/*')(request, reply.code(404)) : reply.callNotFound(),
  );
}

const Early = z.record(
  z.string(),
  z.object({ scripts: z.array(z.string()), styles: z.array(z.string()), reads: z.array(z.string()) }),
);
type Early = z.infer<typeof Early>;

/** What the build says that each page needs at once. */
function earlyIn(folder: string): Early {
  const path = join(folder, 'early.json');
  return existsSync(path) ? Early.parse(JSON.parse(readFileSync(path, 'utf8'))) : {};
}

/**
 * Links by which the document itself asks for what the page needs: no script need have run for it to be on its way. Readings first, for the
 * server has to work for them; the page's files behind those that draw the frame.
 */
function linksOf(
  early: Early[string] | undefined,
  params: Readonly<Record<string, string>>,
): { readonly reads: string; readonly files: string } {
  if (early === undefined) return { reads: '', files: '' };
  const reads = early.reads.map((read) =>
    read.replace(/:(\w+)/g, (_all, name) => encodeURIComponent(params[name] ?? '')),
  );
  return {
    reads: reads.map((read) => `<link rel="preload" as="fetch" crossorigin href="${escapeHtml(read)}">`).join(''),
    files: [
      ...early.styles.map((style) => `<link rel="stylesheet" crossorigin href="${escapeHtml(style)}">`),
      ...early.scripts.map((script) => `<link rel="modulepreload" crossorigin href="${escapeHtml(script)}">`),
    ].join(''),
  };
}

/** Whether it is a browser that was led to a page that there is not, and no call of a program. */
function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') === true && !request.url.startsWith('/api/');
}

function guarded(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-cache')
    .header('content-security-policy', CONTENT_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin');
}
