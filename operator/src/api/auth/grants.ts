import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { Role } from '@hephaisto/core/principal/service';
import type { AccountGrant } from '@hephaisto/core/report/grant';
import { appendAudit } from '../../flow/incident-log/audit.ts';
import { endAccess } from './end-access.ts';

const MAX_GRANTS_LISTED = 1_000;

interface GrantRow {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly kind: 'person' | 'service';
  readonly role: Role;
  readonly namespace: string;
  readonly source: AccountGrant['source'];
  readonly token_id: string | null;
  readonly granted_by: string;
  readonly granted_at: Date;
  readonly revoked_by: string | null;
  readonly revoked_at: Date | null;
}

const GRANT_SELECT = `SELECT g.id::text AS id, g.subject, p.display_name AS name, p.kind, g.role, g.namespace, g.source,
    left(encode(g.token_sha256, 'hex'), 16) AS token_id, g.granted_by, g.granted_at, g.revoked_by, g.revoked_at
  FROM role_grants g JOIN principals p ON p.subject = g.subject LEFT JOIN api_tokens t ON t.token_sha256 = g.token_sha256`;

/** Every grant, by account. A revoked one is listed while the configuration still states it; one of an expired token is not. */
export async function listGrants(sql: Sql): Promise<AccountGrant[]> {
  const rows = await sql.query<GrantRow>(
    `${GRANT_SELECT} WHERE t.expires_at IS NULL OR t.expires_at > app_now()
     ORDER BY g.subject, g.namespace, g.role, g.id LIMIT ${MAX_GRANTS_LISTED}`,
  );
  return rows.map(describeGrant);
}

export type GrantRevoked =
  | { readonly kind: 'revoked'; readonly grant: AccountGrant }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'own-admin' };

/**
 * Revokes one grant with what lived from it. Refuses the caller's own admin grant: another admin has to take it, so that one is always left.
 */
export async function revokeGrant(db: Database, id: string, by: string): Promise<GrantRevoked> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<GrantRow>(`${GRANT_SELECT} WHERE g.id = $1::bigint FOR UPDATE OF g`, [id]);
    if (row === undefined || row.revoked_at !== null) return { kind: 'not-found' };
    if (row.subject === by && row.role === 'admin' && row.namespace === '') return { kind: 'own-admin' };
    await tx.execute('UPDATE role_grants SET revoked_at = app_now(), revoked_by = $2 WHERE id = $1::bigint', [id, by]);
    const { subject, role, namespace, source } = row;
    await appendAudit(tx, {
      actor: by,
      origin: 'api',
      verb: 'grant.revoke',
      subjectKind: 'principal',
      subjectId: subject,
      detail: { role, namespace, source, grant: id },
    });
    await endAccess(tx, subject, { actor: by, origin: 'api', keepsSignIn: false });
    const [revoked] = await tx.query<GrantRow>(`${GRANT_SELECT} WHERE g.id = $1::bigint`, [id]);
    return revoked === undefined ? { kind: 'not-found' } : { kind: 'revoked', grant: describeGrant(revoked) };
  });
}

function describeGrant(row: GrantRow): AccountGrant {
  return {
    id: row.id,
    subject: row.subject,
    name: row.name,
    kind: row.kind,
    role: row.role,
    namespace: row.namespace,
    source: row.source,
    tokenId: row.token_id,
    grantedBy: row.granted_by,
    grantedAt: row.granted_at.toISOString(),
    revokedBy: row.revoked_by,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
