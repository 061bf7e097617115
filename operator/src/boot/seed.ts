import type { Config } from '@hephaisto/core/config/schema';
import type { Database } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { grantRole, seedPeople, upsertPrincipal } from '../api/auth/people.ts';

/** The account of the link that is printed on loopback: the first admin of an installation, before there are others. */
export const FIRST_ADMIN = 'admin';

/** Makes the people of the configuration, and the first admin where one is wanted. Safe on every start and on several replicas. */
export async function seedPrincipals(
  db: Database,
  people: Config['auth']['people'],
  firstAdmin: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    await seedPeople(tx, people);
    if (!firstAdmin) return;
    await upsertPrincipal(tx, FIRST_ADMIN, 'person', 'Admin');
    await grantRole(tx, FIRST_ADMIN, 'admin', '', SERVICE_PRINCIPALS.policy);
  });
}
