import { createHash } from 'node:crypto';
import type { Caller } from '@hephaisto/core/principal/access';
import type { FastifyRequest } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { ApiProblem } from '../problem.ts';
import { rememberKubernetesAccount } from './people.ts';
import { csrfTokenOf, sameSecret } from './secrets.ts';
import { findApiToken, findSession } from './sessions.ts';

export const SESSION_COOKIE = 'hephaisto_session';

/** The caller together with how it was recognised. */
export interface Authenticated extends Caller {
  readonly via: 'session' | 'token' | 'kubernetes';
  readonly expiresAt: Date | null;
  /** The session's secret, needed to end it; absent for tokens. */
  readonly sessionToken?: string;
  /** The account that made the token; null where nobody recorded it, absent where no token of ours was used. */
  readonly tokenMadeBy?: string | null;
  /** The account that made the session's sign-in link; null where the installation made it, absent without a session. */
  readonly linkMadeBy?: string | null;
}

/** The account that may be behind the caller: who made the credential has held its secret. What the caller makes names that account. */
export function accountBehind(caller: Authenticated): string {
  return caller.linkMadeBy ?? caller.tokenMadeBy ?? caller.subject;
}

export type Authenticate = (request: FastifyRequest) => Promise<Authenticated | undefined>;

/** How long the cluster's word about a token is believed without asking again. */
const REVIEW_MEMORY_MS = 60_000;
const MOST_REMEMBERED = 1_000;

interface Remembered {
  readonly caller: Authenticated;
  readonly until: number;
}

/**
 * Recognises callers by bearer token or session cookie. A bearer token wins, since a program sends it on purpose. `mayAsk` throws when the
 * cluster must not be asked about one more unknown token.
 */
export function createAuthenticate(deps: ApiDeps, mayAsk: (request: FastifyRequest) => Promise<void>): Authenticate {
  const remembered = new Map<string, Remembered>();

  async function byKubernetes(token: string, request: FastifyRequest): Promise<Authenticated | undefined> {
    const group = deps.config.auth.tokenReview.adminGroup;
    if (deps.reviewToken === undefined || group === undefined) return undefined;
    const key = createHash('sha256').update(token).digest('hex');
    const known = remembered.get(key);
    const now = deps.clock.monotonicMs();
    if (known !== undefined && known.until > now) return known.caller;
    remembered.delete(key);
    await mayAsk(request);
    const review = await deps.reviewToken(token);
    if (review.kind === 'refused') {
      if (review.reason === 'cluster-unavailable')
        throw new ApiProblem('cluster-unavailable', review.message, { headers: { 'retry-after': '5' } });
      return undefined;
    }
    if (!review.groups.includes(group)) return undefined;
    const subject = await rememberKubernetesAccount(deps.db, review.username);
    const caller: Authenticated = {
      subject,
      displayName: review.username,
      grants: [{ role: 'admin', namespace: '' }],
      via: 'kubernetes',
      expiresAt: null,
    };
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(key, { caller, until: now + REVIEW_MEMORY_MS });
    return caller;
  }

  return async (request) => {
    const bearer = bearerOf(request);
    if (bearer !== undefined) {
      const account = await findApiToken(deps.db, bearer);
      return account === undefined ? byKubernetes(bearer, request) : { ...account, via: 'token' };
    }
    const cookie = request.cookies[SESSION_COOKIE];
    if (cookie === undefined || cookie === '') return undefined;
    const account = await findSession(deps.db, cookie, deps.config.auth.sessionIdle);
    return account === undefined ? undefined : { ...account, via: 'session', sessionToken: cookie };
  };
}

export function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer ([^\s]{1,8192})$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** A write of a session must carry the session's token in a header, which no other site's form or script can set. */
export function requireCsrf(request: FastifyRequest, caller: Authenticated): void {
  if (caller.sessionToken === undefined) return;
  const given = request.headers['x-csrf-token'];
  if (typeof given === 'string' && sameSecret(given, csrfTokenOf(caller.sessionToken))) return;
  throw new ApiProblem(
    'csrf-refused',
    'expected the header X-CSRF-Token with the csrfToken of GET /api/v1/session, found another or none',
  );
}
