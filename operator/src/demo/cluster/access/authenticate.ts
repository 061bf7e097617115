import type { IncomingHttpHeaders } from 'node:http';
import type { ObjectStore } from '../store.ts';
import { forbidden, unauthorized } from './forbidden.ts';
import { ANONYMOUS, type Identity, userIdentity } from './identity.ts';
import { authorize } from './rbac.ts';
import type { Tokens } from './tokens.ts';

/** Who asks: the bearer of the token, or whom the bearer may speak for. Throws 401, and 403 when impersonation is not allowed. */
export function authenticate(headers: IncomingHttpHeaders, tokens: Tokens, store: ObjectStore): Identity {
  const bearer = bearerOf(headers, tokens);
  const as = one(headers['impersonate-user']);
  if (as === undefined) return bearer;
  const groups = list(headers['impersonate-group']);
  const wanted = [{ resource: 'users', name: as }, ...groups.map((name) => ({ resource: 'groups', name }))];
  for (const { resource, name } of wanted) {
    const ask = {
      kind: 'resource' as const,
      verb: 'impersonate',
      group: '',
      resource,
      subresource: '',
      namespace: '',
      name,
    };
    const verdict = authorize(store, bearer, ask);
    if (verdict.kind !== 'allowed') throw forbidden(bearer, ask, verdict.reason);
  }
  return userIdentity(as, groups);
}

function bearerOf(headers: IncomingHttpHeaders, tokens: Tokens): Identity {
  const header = headers.authorization;
  if (header === undefined) return ANONYMOUS;
  const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
  const who = token === undefined ? undefined : tokens.whoHolds(token);
  if (!who) throw unauthorized();
  return who;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function list(value: string | string[] | undefined): readonly string[] {
  return (Array.isArray(value) ? value : (value ?? '').split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
