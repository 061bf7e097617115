import { AccountGrant } from '@hephaisto/core/report/grant';
import { pageOf } from '@hephaisto/core/report/named';
import { z } from 'zod';
import { listGrants, revokeGrant } from '../auth/grants.ts';
import { defineRoute, type RouteContext } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';
import { paging } from '../query.ts';

/** Grants of all accounts, and their revocation. */
export function registerGrantRoutes(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'GET /api/v1/grants', {
    summary: 'List the roles of all accounts, newest first, each with its source',
    tag: 'session',
    query: z.object({ ...paging }),
    answer: pageOf(AccountGrant, 'GrantPage'),
    async handle({ query }) {
      const listed = await listGrants(deps.db, query);
      if (listed.kind === 'refused') throw new ApiProblem(listed.reason, listed.message);
      return { status: 200, body: listed.page };
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
      const outcome = await revokeGrant(deps.db, {
        id: params.id,
        by: caller.subject,
        configuredAdmins: deps.reviewToken !== undefined && deps.config.auth.tokenReview.adminGroup !== undefined,
      });
      switch (outcome.kind) {
        case 'revoked':
          return { status: 200, body: outcome.grant };
        case 'own-admin':
          throw new ApiProblem(
            'invalid-value',
            'expected the grant of another account, found your own admin grant; ask another admin, so that one is always left',
          );
        case 'last-admin':
          throw new ApiProblem(
            'invalid-value',
            'expected another person to be left as admin, found none (a token does not count); name one in `auth.people` or set `auth.tokenReview.adminGroup` first',
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
