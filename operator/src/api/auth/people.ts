import type { Config } from '@hephaisto/core/config/schema';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Role } from '@hephaisto/core/principal/service';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';

/** Who grants what the configuration says: the installation itself. */
const GRANTED_BY = SERVICE_PRINCIPALS.policy;

export async function upsertPrincipal(
  sql: Sql,
  subject: string,
  kind: 'person' | 'service',
  displayName: string,
): Promise<void> {
  await sql.execute(
    `INSERT INTO principals (subject, kind, display_name) VALUES ($1, $2, $3)
     ON CONFLICT (subject) DO UPDATE SET display_name = EXCLUDED.display_name WHERE principals.display_name <> EXCLUDED.display_name`,
    [subject, kind, displayName],
  );
}

export async function grantRole(sql: Sql, subject: string, role: Role, namespace: string, by: string): Promise<void> {
  await sql.execute(
    `INSERT INTO role_grants (subject, role, namespace, granted_by) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [subject, role, namespace, by],
  );
}

/** Makes the people of the configuration and their grants, exactly as it says; others are left as they are. */
export async function seedPeople(tx: Sql, people: Config['auth']['people']): Promise<void> {
  for (const entry of people) {
    await upsertPrincipal(tx, entry.subject, 'person', entry.name);
    // A role that was taken out of the configuration must be gone, or removing somebody's right there would do nothing.
    await tx.execute('DELETE FROM role_grants WHERE subject = $1 AND granted_by = $2', [entry.subject, GRANTED_BY]);
    for (const grant of entry.grants) await grantRole(tx, entry.subject, grant.role, grant.namespace, GRANTED_BY);
  }
}

/** A person whom the cluster vouches for needs a row too: votes and events name their author. */
export async function rememberKubernetesPerson(sql: Sql, username: string): Promise<string> {
  const subject = `kubernetes:${username}`;
  await upsertPrincipal(sql, subject, 'person', username);
  return subject;
}
