import type { Ids } from '@hephaisto/core/ports/clock';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { Grant } from '@hephaisto/core/principal/access';
import { grantsOfToken, HELD_GRANTS, type TokenGrantRow, tokenGrants } from './held-grants.ts';
import { csrfTokenOf, sha256 } from './secrets.ts';

export interface SignInLinkRequest {
  readonly subject: string;
  /** The account that gets to see the link's secret; null where the installation prints it for its operator. */
  readonly madeBy: string | null;
  readonly lifeMs: number;
}

/** A new one-time link's secret for the person. The link dies when used or after `lifeMs`. */
export async function createSignInLink(sql: Sql, ids: Ids, request: SignInLinkRequest): Promise<string> {
  const token = ids.token();
  await sql.execute(
    `INSERT INTO sign_in_links (token_sha256, subject, created_by, expires_at)
     VALUES ($1, $2, $3, app_now() + $4 * interval '1 millisecond')`,
    [sha256(token), request.subject, request.madeBy, request.lifeMs],
  );
  return token;
}

export interface NewSession {
  readonly token: string;
  readonly csrfToken: string;
  readonly subject: string;
}

/**
 * Spends the link and opens a session, or gives nothing when the link is unknown, spent or too old. Of several who spend one link at the
 * same moment exactly one succeeds: the row is marked by a conditional update.
 */
export async function redeemSignInLink(
  db: Database,
  ids: Ids,
  linkToken: string,
  sessionLifeMs: number,
): Promise<NewSession | undefined> {
  return db.transaction(async (tx) => {
    const links = await tx.query<{ subject: string; created_by: string | null }>(
      `UPDATE sign_in_links SET used_at = app_now() WHERE token_sha256 = $1 AND used_at IS NULL AND expires_at > app_now()
       RETURNING subject, created_by`,
      [sha256(linkToken)],
    );
    const link = links[0];
    if (link === undefined) return undefined;
    const { subject } = link;
    const token = ids.token();
    const csrfToken = csrfTokenOf(token);
    await tx.execute(
      `INSERT INTO web_sessions (token_sha256, subject, csrf_sha256, link_made_by, expires_at)
       VALUES ($1, $2, $3, $4, app_now() + $5 * interval '1 millisecond')`,
      [sha256(token), subject, sha256(csrfToken), link.created_by, sessionLifeMs],
    );
    return { token, csrfToken, subject };
  });
}

/** What would become of a link that were spent now, and for whom it is. */
export type LinkState =
  | { readonly kind: 'good'; readonly name: string; readonly grants: readonly Grant[]; readonly expiresAt: Date }
  | { readonly kind: 'used' | 'expired'; readonly at: Date }
  | { readonly kind: 'unknown' };

interface LinkRow {
  readonly display_name: string;
  readonly grants: readonly Grant[];
  readonly used_at: Date | null;
  readonly expires_at: Date;
  readonly expired: boolean;
}

/** Looks at the link and leaves it as it is. */
export async function readSignInLink(sql: Sql, linkToken: string): Promise<LinkState> {
  const rows = await sql.query<LinkRow>(
    `SELECT p.display_name, ${HELD_GRANTS} AS grants, l.used_at, l.expires_at, l.expires_at <= app_now() AS expired
     FROM sign_in_links l JOIN principals p ON p.subject = l.subject WHERE l.token_sha256 = $1`,
    [sha256(linkToken)],
  );
  const row = rows[0];
  if (row === undefined) return { kind: 'unknown' };
  if (row.used_at !== null) return { kind: 'used', at: row.used_at };
  if (row.expired) return { kind: 'expired', at: row.expires_at };
  return { kind: 'good', name: row.display_name, grants: row.grants, expiresAt: row.expires_at };
}

/** An account as its rows say. */
export interface Account {
  readonly subject: string;
  readonly displayName: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: Date | null;
}

/** An account that a token opened, with the account that made the token and so has held its secret; null where nobody recorded it. */
export interface TokenAccount extends Account {
  readonly tokenMadeBy: string | null;
}

/** An account that a session opened, with the account that made the session's sign-in link; null where the installation made it. */
export interface SessionAccount extends Account {
  readonly linkMadeBy: string | null;
}

interface AccountRow {
  readonly subject: string;
  readonly display_name: string;
  readonly grants: readonly Grant[];
  readonly expires_at: Date | null;
  readonly stale: boolean;
}

/** A session that lives; marks it as seen, at most once a minute, since a write for every read would be too much. */
export async function findSession(sql: Sql, token: string, idleMs: number): Promise<SessionAccount | undefined> {
  const rows = await sql.query<AccountRow & { readonly link_made_by: string | null }>(
    `SELECT p.subject, p.display_name, ${HELD_GRANTS} AS grants, w.link_made_by, w.expires_at, w.seen_at < app_now() - interval '1 minute' AS stale
     FROM web_sessions w JOIN principals p ON p.subject = w.subject
     WHERE w.token_sha256 = $1 AND w.revoked_at IS NULL AND w.expires_at > app_now()
       AND w.seen_at > app_now() - $2 * interval '1 millisecond'`,
    [sha256(token), idleMs],
  );
  const row = rows[0];
  if (row?.stale === true)
    await sql.execute('UPDATE web_sessions SET seen_at = app_now() WHERE token_sha256 = $1', [sha256(token)]);
  return row === undefined ? undefined : { ...accountOf(row), linkMadeBy: row.link_made_by };
}

export async function revokeSession(sql: Sql, token: string): Promise<void> {
  await sql.execute('UPDATE web_sessions SET revoked_at = app_now() WHERE token_sha256 = $1 AND revoked_at IS NULL', [
    sha256(token),
  ]);
}

/** A program's token that is neither expired nor revoked, with its own grant as far as its principal still holds it. */
export async function findApiToken(sql: Sql, token: string): Promise<TokenAccount | undefined> {
  const rows = await sql.query<AccountRow & TokenGrantRow & { readonly created_by: string | null }>(
    `SELECT p.subject, p.display_name, t.role, t.namespaces, ${tokenGrants('t')} AS grants, t.created_by, t.expires_at,
       coalesce(t.last_used_at < app_now() - interval '1 minute', true) AS stale
     FROM api_tokens t JOIN principals p ON p.subject = t.subject
     WHERE t.token_sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > app_now())`,
    [sha256(token)],
  );
  const row = rows[0];
  if (row?.stale === true)
    await sql.execute('UPDATE api_tokens SET last_used_at = app_now() WHERE token_sha256 = $1', [sha256(token)]);
  if (row === undefined) return undefined;
  return { ...accountOf({ ...row, grants: grantsOfToken(row) }), tokenMadeBy: row.created_by };
}

function accountOf(row: AccountRow): Account {
  return { subject: row.subject, displayName: row.display_name, grants: row.grants, expiresAt: row.expires_at };
}
