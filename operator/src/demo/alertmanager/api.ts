import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Alert, alertStatus } from './alert.ts';
import { type Matcher, parseMatcher } from './matcher.ts';

/** What the HTTP side reads of the Alertmanager. */
export interface AlertmanagerView {
  alerts(): readonly Alert[];
  readonly receiver: string;
  readonly startedAt: Date;
  now(): Date;
}

const ACTIVE_FOR_MS = 300_000;

function gettable(alert: Alert, receiver: string, now: Date) {
  return {
    annotations: alert.annotations,
    endsAt: (alert.endsAt ?? new Date(now.getTime() + ACTIVE_FOR_MS)).toISOString(),
    fingerprint: alert.fingerprint,
    receivers: [{ name: receiver }],
    startsAt: alert.startsAt.toISOString(),
    status: { inhibitedBy: [], mutedBy: [], silencedBy: [], state: 'active' },
    updatedAt: alert.updatedAt.toISOString(),
    generatorURL: alert.generatorURL,
    labels: alert.labels,
  };
}

type Answer = { readonly code: number; readonly body: unknown };

function matchers(texts: readonly string[]): readonly Matcher[] | string {
  const parsed: Matcher[] = [];
  for (const text of texts) {
    const matcher = parseMatcher(text);
    if (matcher === undefined) return `bad matcher format: ${text}`;
    parsed.push(matcher);
  }
  return parsed;
}

/** Active alerts only: ended ones are no longer listed. Nothing here is ever silenced or inhibited. */
export function listAlerts(view: AlertmanagerView, params: URLSearchParams): Answer {
  const filters = matchers(params.getAll('filter'));
  if (typeof filters === 'string') return { code: 400, body: filters };
  if (params.get('active') === 'false') return { code: 200, body: [] };
  const receiver = params.get('receiver');
  if (receiver !== null && !new RegExp(`^(?:${receiver})$`).test(view.receiver)) return { code: 200, body: [] };
  const now = view.now();
  const listed = view
    .alerts()
    .filter((alert) => alertStatus(alert) === 'firing' && filters.every((matches) => matches(alert.labels)))
    .sort((one, other) => one.fingerprint.localeCompare(other.fingerprint));
  return { code: 200, body: listed.map((alert) => gettable(alert, view.receiver, now)) };
}

function status(view: AlertmanagerView): Answer {
  return {
    code: 200,
    body: {
      cluster: { name: 'simulated', peers: [], status: 'ready' },
      config: { original: `route:\n  receiver: ${view.receiver}\n` },
      uptime: view.startedAt.toISOString(),
      versionInfo: {
        branch: 'simulated',
        buildDate: '',
        buildUser: '',
        goVersion: '',
        revision: '',
        version: '0.28.0',
      },
    },
  };
}

function route(view: AlertmanagerView, url: URL): Answer {
  switch (url.pathname) {
    case '/-/ready':
    case '/-/healthy':
      return { code: 200, body: 'OK' };
    case '/api/v2/alerts':
      return listAlerts(view, url.searchParams);
    case '/api/v2/silences':
      return { code: 200, body: [] };
    case '/api/v2/receivers':
      return { code: 200, body: [{ name: view.receiver }] };
    case '/api/v2/status':
      return status(view);
    default:
      return { code: 404, body: { code: 404, message: `path ${url.pathname} was not found` } };
  }
}

/** Answers one request; everything is read-only. */
export function answer(view: AlertmanagerView, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const { code, body } =
    request.method === 'GET' ? route(view, url) : { code: 405, body: { code: 405, message: 'method not allowed' } };
  const plain = url.pathname.startsWith('/-/');
  response.writeHead(code, { 'content-type': plain ? 'text/plain' : 'application/json' });
  response.end(plain ? String(body) : JSON.stringify(body));
}
