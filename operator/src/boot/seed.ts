import { FIRST_ADMIN } from '@hephaisto/core/config/contradictions';
import type { Config } from '@hephaisto/core/config/schema';
import type { Database } from '@hephaisto/core/ports/database';
import { type StartGrant, seedPeople, upsertPrincipal } from '../api/auth/people.ts';

const LOOPBACK_GRANT: StartGrant = { subject: FIRST_ADMIN, role: 'admin', namespace: '', source: 'loopback' };

/**
 * Makes the people of the configuration, and the first admin where one is wanted; what an earlier start made and this one does not state ends.
 * Safe on every start and on several replicas.
 */
export async function seedPrincipals(
  db: Database,
  people: Config['auth']['people'],
  firstAdmin: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (firstAdmin) await upsertPrincipal(tx, FIRST_ADMIN, 'person', 'Admin');
    await seedPeople(tx, people, firstAdmin ? [LOOPBACK_GRANT] : []);
  });
}
