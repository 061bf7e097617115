import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { Role } from '@hephaisto/core/principal/service';
import type { AccountGrant } from '@hephaisto/core/report/grant';
import { createConditions } from '../../flow/9-report/conditions.ts';
import { type Listed, type Listing, type PageRequest, readPage } from '../../flow/9-report/page.ts';
import { appendAudit } from '../../flow/incident-log/audit.ts';
import { endAccess } from './end-access.ts';

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

const GRANT_TABLES =
  'role_grants g JOIN principals p ON p.subject = g.subject LEFT JOIN api_tokens t ON t.token_sha256 = g.token_sha256';

const GRANT_SELECT = `SELECT g.id::text AS id, g.subject, p.display_name AS name, p.kind, g.role, g.namespace, g.source,
    left(encode(g.token_sha256, 'hex'), 16) AS token_id, g.granted_by, g.granted_at, g.revoked_by, g.revoked_at
  FROM ${GRANT_TABLES}`;

const GRANTS: Listing<GrantRow> = {
  name: 'grants',
  select: GRANT_SELECT,
  from: GRANT_TABLES,
  column: 'g.id',
  type: 'bigint',
  position: (row) => row.id,
};

/** Grants of all accounts, newest first. A revoked one is listed while a start still states it; one of a token that has ended is not. */
export function listGrants(sql: Sql, request: PageRequest): Promise<Listed<AccountGrant>> {
  const conditions = createConditions();
  conditions.addPlain(`(g.revoked_at IS NULL OR g.source IN ('configuration', 'loopback'))`);
  conditions.addPlain(
    '(g.token_sha256 IS NULL OR (t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > app_now())))',
  );
  return readPage(sql, GRANTS, conditions, request, (rows) => rows.map(describeGrant));
}

export type GrantRevoked =
  | { readonly kind: 'revoked'; readonly grant: AccountGrant }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'own-admin' | 'last-admin' };

interface RevokeRequest {
  readonly id: string;
  readonly by: string;
  /** Whether the configuration names admins whom no grant row names, such as a group of the cluster. */
  readonly configuredAdmins: boolean;
}

/**
 * Revokes one grant with what lived from it. Refuses the caller's own admin grant, which another admin has to take, and the last one. The
 * table is locked first: two admins who revoke each other at the same moment would each find the other one left.
 */
export async function revokeGrant(db: Database, { id, by, configuredAdmins }: RevokeRequest): Promise<GrantRevoked> {
  return db.transaction(async (tx) => {
    await tx.execute('LOCK TABLE role_grants IN SHARE ROW EXCLUSIVE MODE');
    const [row] = await tx.query<GrantRow>(`${GRANT_SELECT} WHERE g.id = $1::bigint FOR UPDATE OF g`, [id]);
    if (row === undefined || row.revoked_at !== null) return { kind: 'not-found' };
    if (isAdminOfAll(row)) {
      if (row.subject === by) return { kind: 'own-admin' };
      if (!configuredAdmins && !(await hasOtherAdmin(tx, row))) return { kind: 'last-admin' };
    }
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

function isAdminOfAll(row: GrantRow): boolean {
  return row.kind === 'person' && row.role === 'admin' && row.namespace === '';
}

/** A token may expire or be lost, so only people count as admins who are left. */
async function hasOtherAdmin(tx: Sql, row: GrantRow): Promise<boolean> {
  const others = await tx.query(
    `SELECT 1 FROM role_grants g JOIN principals p ON p.subject = g.subject AND p.kind = 'person'
     WHERE g.id <> $1::bigint AND g.role = 'admin' AND g.namespace = '' AND g.source <> 'token' AND g.revoked_at IS NULL LIMIT 1`,
    [row.id],
  );
  return others.length > 0;
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
