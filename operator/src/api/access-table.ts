import type { Role } from '@hephaisto/core/principal/service';

/**
 * Who may call a route.
 *
 * - `open`: anybody who reaches the port; tells nothing but whether the process lives.
 * - `link`: whoever holds a one-time link; the route itself spends it.
 * - `webhook`: the bearer token of the sender, unknown to people.
 * - `signed-in`: any account, with or without a role.
 * - `role`: `anywhere` asks for the role in some namespace, and the route then cuts or checks by the namespace of what is asked for;
 *   `everywhere` asks for it without bounds, for what all namespaces share.
 */
export type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'link' }
  | { readonly kind: 'webhook' }
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'role'; readonly role: Role; readonly scope: 'anywhere' | 'everywhere' };

const OPEN: Access = { kind: 'open' };
const LINK: Access = { kind: 'link' };
const SIGNED_IN: Access = { kind: 'signed-in' };

function role(name: Role, scope: 'anywhere' | 'everywhere' = 'anywhere'): Access {
  return { kind: 'role', role: name, scope };
}

/** Every route there is. One that is not here cannot be registered, so none is open because somebody forgot. */
export const ACCESS = {
  'GET /livez': OPEN,
  'GET /readyz': OPEN,
  'GET /metrics': OPEN,
  'GET /': OPEN,
  'GET /docs': OPEN,
  'GET /docs/style.css': OPEN,
  'GET /api/v1/openapi.json': OPEN,
  'GET /sign-in': OPEN,
  'POST /sign-in': LINK,
  'POST /webhooks/alertmanager': { kind: 'webhook' },
  'POST /api/v1/session': LINK,
  'GET /api/v1/session': SIGNED_IN,
  'DELETE /api/v1/session': SIGNED_IN,
  'GET /api/v1/incidents': role('viewer'),
  'GET /api/v1/incidents/:id': role('viewer'),
  'GET /api/v1/incidents/:id/steps/:step/raw': role('viewer'),
  'GET /api/v1/incidents/:id/transcript': role('viewer'),
  'POST /api/v1/investigations/:id/stop': role('responder'),
  'POST /api/v1/incidents/:id/close': role('responder'),
  'POST /api/v1/incidents/:id/reinvestigate': role('responder'),
  'POST /api/v1/incidents/:id/ack': role('responder'),
  'POST /api/v1/incidents/:id/assign': role('responder'),
  'POST /api/v1/incidents/:id/note': role('responder'),
  'GET /api/v1/signals': role('viewer'),
  'GET /api/v1/proposals': role('viewer'),
  'GET /api/v1/proposals/:id': role('viewer'),
  'POST /api/v1/proposals/:id/approve': role('approver'),
  'POST /api/v1/proposals/:id/deny': role('approver'),
  'POST /api/v1/proposals/:id/revise': role('responder'),
  'GET /api/v1/actions': role('viewer'),
  'GET /api/v1/switches': role('viewer'),
  'PUT /api/v1/switches/:name': role('responder', 'everywhere'),
  'GET /api/v1/health': role('viewer'),
  'GET /api/v1/stream': role('viewer'),
  'GET /api/v1/people': role('viewer'),
  'GET /api/v1/tokens': role('admin', 'everywhere'),
  'POST /api/v1/tokens': role('admin', 'everywhere'),
  'DELETE /api/v1/tokens/:id': role('admin', 'everywhere'),
  'GET /api/v1/grants': role('admin', 'everywhere'),
  'DELETE /api/v1/grants/:id': role('admin', 'everywhere'),
  'POST /api/v1/sign-in-links': role('admin', 'everywhere'),
} as const satisfies Readonly<Record<string, Access>>;
export type RouteKey = keyof typeof ACCESS;

export function isRouteKey(key: string): key is RouteKey {
  return Object.hasOwn(ACCESS, key);
}
