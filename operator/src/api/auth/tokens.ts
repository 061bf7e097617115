import type { Ids } from '@hephaisto/core/ports/clock';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import { type Grant, holdsGrant } from '@hephaisto/core/principal/access';
import type { Role } from '@hephaisto/core/principal/service';
import { appendAudit } from '../../flow/incident-log/audit.ts';
import { HELD_GRANTS } from './held-grants.ts';
import { sha256 } from './secrets.ts';

export interface TokenRequest {
  readonly principal: string;
  readonly role: Role;
  /** `['']` means everywhere. */
  readonly namespaces: readonly string[];
  readonly name: string;
  readonly expiresInSeconds?: number | undefined;
  /** The account that may be behind the caller and gets to see the secret. */
  readonly heldBy: string;
}

export interface TokenDescription {
  /** The first 16 hexadecimal digits of the secret's digest. */
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly role: Role;
  readonly namespaces: string[];
  readonly createdBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

interface TokenRow {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly role: Role;
  readonly namespaces: string[];
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

const TOKEN_COLUMNS = `left(encode(token_sha256, 'hex'), 16) AS id, subject, name, role, namespaces, created_by, created_at, expires_at, last_used_at, revoked_at`;

export type TokenCreated =
  | { readonly kind: 'created'; readonly token: TokenDescription & { readonly token: string } }
  | { readonly kind: 'exceeds-person'; readonly held: readonly Grant[] };

/**
 * Makes a token with a grant of its own and returns its secret, of which only the digest is kept. An unknown principal becomes a service,
 * which gets the grant for as long as the token lives. A person's token is refused where it exceeds what the person holds: a token must not
 * be a way to give a person more.
 */
export async function createToken(db: Database, ids: Ids, request: TokenRequest, by: string): Promise<TokenCreated> {
  const token = `hph_${ids.token()}`;
  return db.transaction(async (tx) => {
    await tx.execute(
      `INSERT INTO principals (subject, kind, display_name, person) VALUES ($1, 'service', $1, nullif(person_of($2), $1)) ON CONFLICT (subject) DO NOTHING`,
      [request.principal, request.heldBy],
    );
    const principal = await readPrincipal(tx, request.principal);
    const own = request.namespaces.map((namespace) => ({ role: request.role, namespace }));
    if (principal.kind === 'person' && !own.every((grant) => holdsGrant(principal.grants, grant)))
      return { kind: 'exceeds-person', held: principal.grants };
    const row = await insertToken(tx, request, token);
    if (principal.kind === 'service')
      for (const { role, namespace } of own)
        await tx.execute(
          `INSERT INTO role_grants (subject, role, namespace, granted_by, source, token_sha256) VALUES ($1, $2, $3, $4, 'token', $5)`,
          [request.principal, role, namespace, by, sha256(token)],
        );
    await audit(tx, by, 'token.create', row.id, {
      principal: request.principal,
      role: request.role,
      namespaces: request.namespaces,
    });
    return { kind: 'created', token: { ...describe(row), token } };
  });
}

interface PrincipalRow {
  readonly kind: 'person' | 'service';
  readonly grants: readonly Grant[];
}

async function readPrincipal(tx: Sql, subject: string): Promise<PrincipalRow> {
  const [row] = await tx.query<PrincipalRow>(
    `SELECT p.kind, ${HELD_GRANTS} AS grants FROM principals p WHERE p.subject = $1 FOR SHARE OF p`,
    [subject],
  );
  if (row === undefined)
    throw new Error('expected the principal of the token, found no row; this is a bug in hephaisto');
  return row;
}

async function insertToken(tx: Sql, request: TokenRequest, token: string): Promise<TokenRow> {
  const [row] = await tx.query<TokenRow>(
    `INSERT INTO api_tokens (token_sha256, subject, name, role, namespaces, created_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, app_now() + $7::float8 * interval '1 second') RETURNING ${TOKEN_COLUMNS}`,
    [
      sha256(token),
      request.principal,
      request.name,
      request.role,
      request.namespaces,
      request.heldBy,
      request.expiresInSeconds ?? null,
    ],
  );
  if (row === undefined) throw new Error('expected the inserted token, found no row; this is a bug in hephaisto');
  return row;
}

export async function listTokens(sql: Sql): Promise<TokenDescription[]> {
  const rows = await sql.query<TokenRow>(`SELECT ${TOKEN_COLUMNS} FROM api_tokens ORDER BY created_at DESC LIMIT 500`);
  return rows.map(describe);
}

/** Whether there was such a token to revoke. It stops working with the next request, and the grant that came with it ends. */
export async function revokeToken(db: Database, id: string, by: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const revoked = await tx.execute(
      `UPDATE api_tokens SET revoked_at = app_now() WHERE left(encode(token_sha256, 'hex'), 16) = $1 AND revoked_at IS NULL`,
      [id],
    );
    if (revoked === 0) return false;
    const grants = await tx.execute(
      `DELETE FROM role_grants WHERE source = 'token' AND left(encode(token_sha256, 'hex'), 16) = $1`,
      [id],
    );
    await audit(tx, by, 'token.revoke', id, { grants });
    return true;
  });
}

function audit(
  tx: Sql,
  actor: string,
  verb: string,
  id: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  return appendAudit(tx, { actor, origin: 'api', verb, subjectKind: 'token', subjectId: id, detail });
}

function describe(row: TokenRow): TokenDescription {
  return {
    id: row.id,
    subject: row.subject,
    name: row.name,
    role: row.role,
    namespaces: row.namespaces,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
