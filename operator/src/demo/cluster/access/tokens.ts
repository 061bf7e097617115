import { createHmac } from 'node:crypto';
import type { Ids } from '@hephaisto/core/ports/clock';
import type { ObjectStore } from '../store.ts';
import { type Identity, serviceAccountIdentity, userIdentity } from './identity.ts';

export type TokenSubject =
  | { readonly username: string; readonly groups?: readonly string[] }
  | { readonly serviceAccount: { readonly namespace: string; readonly name: string } };

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface Tokens {
  /** Seconds of life: a day when absent. */
  issue(subject: TokenSubject, lifeSeconds?: number): IssuedToken;
  /** Nobody for a token that is unknown, expired, or whose service account is gone. */
  whoHolds(token: string): Identity | undefined;
}

interface Grant {
  readonly subject: TokenSubject;
  readonly uid: string | undefined;
  readonly id: string;
  readonly expiresAt: Date;
}

const DAY_SECONDS = 86_400;
export const ISSUER = 'https://kubernetes.default.svc';
const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' };

export function createTokens(options: { store: ObjectStore; now: () => Date; ids: Ids }): Tokens {
  const { store, now, ids } = options;
  const grants = new Map<string, Grant>();
  const key = ids.token();

  function accountUid(subject: TokenSubject): string | undefined {
    if (!('serviceAccount' in subject)) return undefined;
    const { namespace, name } = subject.serviceAccount;
    return store.get(SERVICE_ACCOUNTS, namespace, name)?.metadata.uid;
  }

  function forgetExpired(): void {
    for (const [token, { expiresAt }] of grants) if (expiresAt <= now()) grants.delete(token);
  }

  return {
    issue(subject, lifeSeconds = DAY_SECONDS) {
      forgetExpired();
      const expiresAt = new Date(now().getTime() + lifeSeconds * 1000);
      const uid = accountUid(subject);
      const id = ids.uuid();
      const token = 'serviceAccount' in subject ? signed(claims(subject, uid, now(), expiresAt, id), key) : ids.token();
      grants.set(token, { subject, uid, id, expiresAt });
      return { token, expiresAt };
    },
    whoHolds(token) {
      const grant = grants.get(token);
      if (!grant || grant.expiresAt <= now()) return undefined;
      const { subject } = grant;
      if (!('serviceAccount' in subject)) return userIdentity(subject.username, subject.groups);
      const uid = accountUid(subject);
      // An account that was deleted, or deleted and made again, takes its tokens along.
      if (uid === undefined || uid !== grant.uid) return undefined;
      const { namespace, name } = subject.serviceAccount;
      return serviceAccountIdentity(namespace, name, uid, grant.id);
    },
  };
}

function claims(
  subject: { readonly serviceAccount: { readonly namespace: string; readonly name: string } },
  uid: string | undefined,
  issuedAt: Date,
  expiresAt: Date,
  id: string,
) {
  const { namespace, name } = subject.serviceAccount;
  const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
  return {
    aud: [ISSUER],
    exp: seconds(expiresAt),
    iat: seconds(issuedAt),
    nbf: seconds(issuedAt),
    iss: ISSUER,
    jti: id,
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

/** Shaped as a JWT, so that who reads the expiry from the token itself can; only this process tells a true one from a false one. */
function signed(payload: object, key: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}`;
  return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`;
}
