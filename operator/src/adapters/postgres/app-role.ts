import type { Database, Sql } from '@hephaisto/core/ports/database';

/** Tables to which the running product only ever adds. */
export const APPEND_ONLY_TABLES = ['incident_events', 'audit_log', 'approvals'] as const;
/** Tables that only the migration runner writes. */
const READ_ONLY_TABLES = ['incident_edges', 'action_edges', 'proposal_edges', '_prisma_migrations'] as const;

export type AuditProtection =
  | { readonly kind: 'separated'; readonly reason: 'role-cannot-change-audit'; readonly message: string }
  | { readonly kind: 'triggers-only'; readonly reason: 'role-owns-audit'; readonly message: string };

/**
 * Gives an existing role what the running product needs and no more: it cannot change or empty the append-only tables, nor the tables
 * of legal edges, even with the triggers gone. Idempotent; the caller must own the tables.
 */
export async function grantAppRole(db: Database, role: string): Promise<void> {
  const grantee = `"${role.replaceAll('"', '""')}"`;
  await db.transaction(async (tx) => {
    await tx.execute(`
      GRANT USAGE ON SCHEMA public TO ${grantee};
      REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${grantee};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${grantee};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${grantee};
      REVOKE UPDATE, DELETE ON ${APPEND_ONLY_TABLES.join(', ')} FROM ${grantee};
      REVOKE INSERT, UPDATE, DELETE ON ${READ_ONLY_TABLES.join(', ')} FROM ${grantee};
      REVOKE DELETE ON leases FROM ${grantee}`);
  });
}

/** Says whether the connected role could change the audit trail if its triggers were gone. */
export async function auditProtection(sql: Sql): Promise<AuditProtection> {
  const [row] = await sql.query<{ can_change: boolean; role: string }>(
    `SELECT current_user AS role, bool_or(has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')) AS can_change
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY($1)`,
    [APPEND_ONLY_TABLES],
  );
  if (row?.can_change === false) {
    return {
      kind: 'separated',
      reason: 'role-cannot-change-audit',
      message: `role \`${row.role}\` has no privilege to change the audit trail`,
    };
  }
  return {
    kind: 'triggers-only',
    reason: 'role-owns-audit',
    message: `role \`${row?.role ?? ''}\` owns the audit trail, which only triggers protect; run \`hephaisto migrate\` as an owner and the product as another role`,
  };
}
