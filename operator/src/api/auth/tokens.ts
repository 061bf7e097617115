import type { Ids } from '@hephaisto/core/ports/clock';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { Role } from '@hephaisto/core/principal/service';
import { appendAudit } from '../../flow/incident-log/audit.ts';
import { grantRole } from './people.ts';
import { sha256 } from './secrets.ts';

export interface TokenRequest {
  readonly principal: string;
  readonly role: Role;
  readonly namespace: string;
  readonly name: string;
  readonly expiresInSeconds?: number | undefined;
}

export interface TokenDescription {
  /** The first 16 hexadecimal digits of the secret's digest. */
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

interface TokenRow {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

const TOKEN_COLUMNS = `left(encode(token_sha256, 'hex'), 16) AS id, subject, name, created_at, expires_at, last_used_at, revoked_at`;

/** Makes the principal where it is unknown, grants the role and gives the secret, which is kept only as its digest. */
export async function createToken(
  db: Database,
  ids: Ids,
  request: TokenRequest,
  by: string,
): Promise<TokenDescription & { readonly token: string }> {
  const token = `hph_${ids.token()}`;
  return db.transaction(async (tx) => {
    await tx.execute(
      `INSERT INTO principals (subject, kind, display_name) VALUES ($1, 'service', $1) ON CONFLICT (subject) DO NOTHING`,
      [request.principal],
    );
    await grantRole(tx, request.principal, request.role, request.namespace, by);
    const rows = await tx.query<TokenRow>(
      `INSERT INTO api_tokens (token_sha256, subject, name, expires_at)
       VALUES ($1, $2, $3, app_now() + $4::float8 * interval '1 second') RETURNING ${TOKEN_COLUMNS}`,
      [sha256(token), request.principal, request.name, request.expiresInSeconds ?? null],
    );
    const row = rows[0];
    if (row === undefined) throw new Error('expected the inserted token, found no row; this is a bug in hephaisto');
    await audit(tx, by, 'token.create', row.id, {
      principal: request.principal,
      role: request.role,
      namespace: request.namespace,
    });
    return { ...describe(row), token };
  });
}

export async function listTokens(sql: Sql): Promise<TokenDescription[]> {
  const rows = await sql.query<TokenRow>(`SELECT ${TOKEN_COLUMNS} FROM api_tokens ORDER BY created_at DESC LIMIT 500`);
  return rows.map(describe);
}

/** Whether there was such a token to revoke. It stops working with the next request. */
export async function revokeToken(db: Database, id: string, by: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const revoked = await tx.execute(
      `UPDATE api_tokens SET revoked_at = app_now() WHERE left(encode(token_sha256, 'hex'), 16) = $1 AND revoked_at IS NULL`,
      [id],
    );
    if (revoked > 0) await audit(tx, by, 'token.revoke', id, {});
    return revoked > 0;
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
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
