import type { Sql } from '@hephaisto/core/ports/database';
import {
  type Caller,
  type Grant,
  judgeAccessAnywhere,
  type Readable,
  readableBy,
} from '@hephaisto/core/principal/access';
import type { FastifyRequest } from 'fastify';
import { type Authenticate, type Authenticated, bearerOf } from '../auth/authenticate.ts';
import { grantsOfToken, HELD_GRANTS, type TokenGrantRow, tokenGrants } from '../auth/held-grants.ts';
import { sha256 } from '../auth/secrets.ts';

/** What a stream was opened with. Secrets are kept as digests, by which the database knows them. */
export type Credential =
  | { readonly kind: 'session' | 'token'; readonly digest: string }
  | { readonly kind: 'kubernetes'; readonly request: FastifyRequest };

/** What each credential may read now, in the order given; `undefined` where it may not listen any more. */
export type CheckAccess = (credentials: readonly Credential[]) => Promise<readonly (Readable | undefined)[]>;

export function credentialOf(caller: Authenticated, request: FastifyRequest): Credential {
  const digest = (secret: string) => Buffer.from(sha256(secret)).toString('hex');
  if (caller.sessionToken !== undefined) return { kind: 'session', digest: digest(caller.sessionToken) };
  const bearer = bearerOf(request);
  return caller.via === 'token' && bearer !== undefined
    ? { kind: 'token', digest: digest(bearer) }
    : { kind: 'kubernetes', request };
}

/** Checks all credentials with one statement a kind, however many there are. Rejects when the database does not answer. */
export function createAccessCheck(db: Sql, sessionIdleMs: number, authenticate: Authenticate): CheckAccess {
  return async (credentials) => {
    const digests = (kind: 'session' | 'token') => [
      ...new Set(credentials.flatMap((each) => (each.kind === kind ? [each.digest] : []))),
    ];
    const sessions = await readSessions(db, digests('session'), sessionIdleMs);
    const tokens = await readTokens(db, digests('token'));
    const found: (Readable | undefined)[] = [];
    for (const credential of credentials) {
      if (credential.kind === 'kubernetes') {
        const caller = await authenticate(credential.request).catch(() => undefined);
        found.push(readableOf(caller?.grants));
      } else found.push(readableOf((credential.kind === 'session' ? sessions : tokens).get(credential.digest)));
    }
    return found;
  };
}

type Live = ReadonlyMap<string, readonly Grant[]>;

/** An open stream counts as use, so that a page that is only watched is not signed out. */
async function readSessions(db: Sql, digests: readonly string[], idleMs: number): Promise<Live> {
  if (digests.length === 0) return new Map();
  const rows = await db.query<{ digest: string; grants: readonly Grant[]; stale: boolean }>(
    `SELECT encode(w.token_sha256, 'hex') AS digest, ${HELD_GRANTS} AS grants, w.seen_at < app_now() - interval '1 minute' AS stale
     FROM web_sessions w JOIN principals p ON p.subject = w.subject
     WHERE w.token_sha256 IN (SELECT decode(d, 'hex') FROM unnest($1::text[]) AS d) AND w.revoked_at IS NULL
       AND w.expires_at > app_now() AND w.seen_at > app_now() - $2 * interval '1 millisecond'`,
    [digests, idleMs],
  );
  const stale = rows.filter((row) => row.stale).map(({ digest }) => digest);
  if (stale.length > 0)
    await db.execute(
      `UPDATE web_sessions SET seen_at = app_now() WHERE token_sha256 IN (SELECT decode(d, 'hex') FROM unnest($1::text[]) AS d)`,
      [stale],
    );
  return new Map(rows.map(({ digest, grants }) => [digest, grants]));
}

async function readTokens(db: Sql, digests: readonly string[]): Promise<Live> {
  if (digests.length === 0) return new Map();
  const rows = await db.query<TokenGrantRow & { digest: string }>(
    `SELECT encode(t.token_sha256, 'hex') AS digest, t.role, t.namespaces, ${tokenGrants('t')} AS grants
     FROM api_tokens t JOIN principals p ON p.subject = t.subject
     WHERE t.token_sha256 IN (SELECT decode(d, 'hex') FROM unnest($1::text[]) AS d) AND t.revoked_at IS NULL
       AND (t.expires_at IS NULL OR t.expires_at > app_now())`,
    [digests],
  );
  return new Map(rows.map((row) => [row.digest, grantsOfToken(row)]));
}

function readableOf(grants: Caller['grants'] | undefined): Readable | undefined {
  if (grants === undefined) return undefined;
  const caller: Caller = { subject: '', displayName: '', grants };
  return judgeAccessAnywhere(caller, 'viewer').kind === 'allowed' ? readableBy(caller) : undefined;
}
