import { discover } from './discovery.ts';
import { type Answer, json } from './exchange.ts';
import { openApi } from './openapi.ts';
import { VERSION } from './version.ts';

const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/** Paths that are no objects: discovery, version, health, OpenAPI. */
export function plainPath(path: string, accept: string): Answer {
  if (HEALTH.has(path)) return { code: 200, text: 'ok', contentType: 'text/plain; charset=utf-8' };
  if (path === '/version' || path === '/version/') return json(200, VERSION);
  const found = discover(path, accept) ?? openApi(path);
  return found ?? pageNotFound();
}

/** The answer to a path that nothing at all is behind. */
export function pageNotFound(): Answer {
  return { code: 404, text: '404 page not found\n', contentType: 'text/plain; charset=utf-8' };
}
