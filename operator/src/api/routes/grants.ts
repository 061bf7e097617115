import { AccountGrant } from '@hephaisto/core/report/grant';
import { z } from 'zod';
import { listGrants, revokeGrant } from '../auth/grants.ts';
import { defineRoute, type RouteContext } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';

/** Grants of all accounts, and their revocation. */
export function registerGrantRoutes(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'GET /api/v1/grants', {
    summary: 'List the roles of all accounts, each with its source',
    tag: 'session',
    answer: z.object({ items: z.array(AccountGrant) }).meta({ id: 'Grants' }),
    async handle() {
      return { status: 200, body: { items: await listGrants(deps.db) } };
    },
  });
  defineRoute(context, 'DELETE /api/v1/grants/:id', {
    summary: 'Revoke one grant with what lived from it',
    description:
      'Holds at once and over restarts, although the configuration may still state the grant. An account without any grant left is signed out, and its tokens end. To give the grant again, take it out of `auth.people`, start, put it back and start once more.',
    tag: 'session',
    params: z.object({ id: z.string().regex(/^[1-9]\d{0,17}$/) }),
    answer: AccountGrant,
    async handle({ params, caller }) {
      const outcome = await revokeGrant(deps.db, params.id, caller.subject);
      switch (outcome.kind) {
        case 'revoked':
          return { status: 200, body: outcome.grant };
        case 'own-admin':
          throw new ApiProblem(
            'invalid-value',
            'expected the grant of another account, found your own admin grant; ask another admin, so that one is always left',
          );
        case 'not-found':
          throw new ApiProblem(
            'not-found',
            `expected a grant that is not revoked, found none with the id \`${params.id}\``,
          );
        default:
          return outcome satisfies never;
      }
    },
  });
}
