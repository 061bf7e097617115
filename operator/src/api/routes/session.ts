import '@fastify/cookie';
import { ROLES } from '@hephaisto/core/principal/service';
import { NamespaceScope } from '@hephaisto/core/report/grant';
import { Session } from '@hephaisto/core/report/installation';
import { Instant } from '@hephaisto/core/report/named';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { appendAudit } from '../../flow/incident-log/audit.ts';
import { type Authenticated, accountBehind, SESSION_COOKIE } from '../auth/authenticate.ts';
import { csrfTokenOf } from '../auth/secrets.ts';
import {
  createSignInLink,
  findSession,
  type LinkState,
  readSignInLink,
  redeemSignInLink,
  revokeSession,
} from '../auth/sessions.ts';
import { createToken, listTokens, revokeToken } from '../auth/tokens.ts';
import { defineRoute, type RouteContext, requireOwnPage } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';
import { signInPage } from '../reference/sign-in-page.ts';

const Token = z.string().min(20).max(200);
const Subject = z.string().regex(/^[a-z0-9][a-z0-9._:@/-]{0,99}$/, 'expected a short name in lower case');

/** Signing in and out, and the credentials that admins hand out. */
export function registerSessionRoutes(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'POST /api/v1/session', {
    summary: 'Spend a one-time link and open a session',
    tag: 'session',
    body: z.object({ token: Token }),
    answer: Session,
    async handle({ body }) {
      const opened = await open(context, body.token);
      return { status: 200, body: opened.session, headers: { 'set-cookie': opened.cookie } };
    },
  });
  defineRoute(context, 'GET /api/v1/session', {
    summary: 'Read who you are and what you may do',
    tag: 'session',
    answer: Session,
    async handle({ caller }) {
      return { status: 200, body: sessionOf(caller) };
    },
  });
  defineRoute(context, 'DELETE /api/v1/session', {
    summary: 'Sign out',
    tag: 'session',
    answer: z.object({ signedOut: z.literal(true) }).meta({ id: 'SignedOut' }),
    async handle({ caller }) {
      if (caller.sessionToken !== undefined) await revokeSession(deps.db, caller.sessionToken);
      return { status: 200, body: { signedOut: true }, headers: { 'set-cookie': cookie(context, '', 0) } };
    },
  });
  registerTokens(context);
  registerSignInPage(context);
}

function sessionOf(caller: Authenticated): Session {
  return {
    subject: caller.subject,
    name: caller.displayName,
    via: caller.via,
    grants: caller.grants.map((grant) => ({ ...grant })),
    expiresAt: caller.expiresAt?.toISOString() ?? null,
    csrfToken: caller.sessionToken === undefined ? null : csrfTokenOf(caller.sessionToken),
  };
}

async function open(context: RouteContext, linkToken: string): Promise<{ session: Session; cookie: string }> {
  const { deps } = context;
  const life = deps.config.auth.sessionLife;
  const created = await redeemSignInLink(deps.db, deps.ids, linkToken, life);
  deps.metrics.count('sign_ins_total', { door: 'link', result: created === undefined ? 'refused' : 'opened' });
  if (created === undefined)
    throw new ApiProblem(
      'link-invalid',
      'expected a sign-in link that is neither used nor expired, found another; ask for a new one',
    );
  const account = await findSession(deps.db, created.token, deps.config.auth.sessionIdle);
  if (account === undefined)
    throw new ApiProblem('link-invalid', 'expected the session that was just opened, found none');
  return {
    session: sessionOf({ ...account, via: 'session', sessionToken: created.token }),
    cookie: cookie(context, created.token, Math.floor(life / 1000)),
  };
}

/** Not readable by scripts, not sent from other sites except when a person follows a link. */
function cookie(context: RouteContext, value: string, maxAgeSeconds: number): string {
  const secure = context.deps.config.server.publicUrl?.startsWith('https:') === true ? '; Secure' : '';
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
}

const TokenInfo = z
  .object({
    id: z.string(),
    subject: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    namespaces: z.array(z.string()),
    createdBy: z.string().nullable(),
    createdAt: Instant,
    expiresAt: Instant.nullable(),
    lastUsedAt: Instant.nullable(),
    revokedAt: Instant.nullable(),
  })
  .meta({ id: 'TokenInfo' });

function registerTokens(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'GET /api/v1/tokens', {
    summary: 'List the tokens of programs; their secrets are not kept',
    tag: 'session',
    answer: z.object({ items: z.array(TokenInfo) }).meta({ id: 'Tokens' }),
    async handle() {
      return { status: 200, body: { items: await listTokens(deps.db) } };
    },
  });
  defineRoute(context, 'POST /api/v1/tokens', {
    summary: 'Make a token for a program or person; the secret is shown once',
    description:
      'A token holds its own grant as far as its principal holds it. An unknown principal becomes a service, which holds the grant until the token is revoked or expires. A service has no vote unless the policy says so (serviceVotes).',
    tag: 'session',
    body: z.object({
      principal: Subject,
      role: z.enum(ROLES),
      namespace: NamespaceScope.optional().meta({ description: 'Absent or empty: everywhere' }),
      namespaces: z
        .array(NamespaceScope.min(1))
        .min(1)
        .max(50)
        .optional()
        .meta({ description: 'Instead of `namespace`: each of these' }),
      name: z.string().min(1).max(100).default('token'),
      expiresInSeconds: z
        .int()
        .min(60)
        .max(366 * 86_400)
        .optional(),
    }),
    status: 201,
    secretAnswer: true,
    answer: TokenInfo.extend({ token: z.string() }).meta({ id: 'NewToken' }),
    async handle({ body, caller }) {
      if (body.principal.startsWith('service:hephaisto/'))
        throw new ApiProblem(
          'invalid-value',
          'expected a principal of yours, found one that only the installation itself uses',
        );
      if (body.namespace !== undefined && body.namespaces !== undefined)
        throw new ApiProblem('invalid-value', 'expected one of `namespace` and `namespaces`, found both');
      const namespaces = [...new Set(body.namespaces ?? [body.namespace ?? ''])];
      const made = await createToken(
        deps.db,
        deps.ids,
        { ...body, namespaces, heldBy: accountBehind(caller) },
        caller.subject,
      );
      if (made.kind === 'exceeds-person')
        throw new ApiProblem(
          'invalid-value',
          `expected a grant that \`${body.principal}\` holds, found one beyond it; change \`auth.people\` first`,
          { details: { held: made.held } },
        );
      return { status: 201, body: made.token };
    },
  });
  defineRoute(context, 'DELETE /api/v1/tokens/:id', {
    summary: 'Revoke a token with the grant that came with it',
    tag: 'session',
    params: z.object({ id: z.string().regex(/^[0-9a-f]{16}$/) }),
    answer: z.object({ revoked: z.literal(true) }).meta({ id: 'Revoked' }),
    async handle({ params, caller }) {
      if (!(await revokeToken(deps.db, params.id, caller.subject)))
        throw new ApiProblem(
          'not-found',
          `expected a token that is not revoked, found none with the id \`${params.id}\``,
        );
      return { status: 200, body: { revoked: true } };
    },
  });
  defineRoute(context, 'POST /api/v1/sign-in-links', {
    summary: 'Make a one-time sign-in link for a person',
    description:
      'You see the link, so a session that it opens may be yours: its approvals count as yours in every quorum. The audit names both accounts.',
    tag: 'session',
    body: z.object({ principal: Subject }),
    status: 201,
    secretAnswer: true,
    answer: z.object({ path: z.string() }).meta({ id: 'SignInLink' }),
    async handle({ body, caller }) {
      const known = await deps.db.query('SELECT 1 FROM principals WHERE subject = $1 AND kind = $2', [
        body.principal,
        'person',
      ]);
      if (known.length === 0)
        throw new ApiProblem('person-not-found', `expected a known person, found \`${body.principal}\``);
      const token = await deps.db.transaction(async (tx) => {
        // Whoever holds the link is that person: that it was made must be known whatever becomes of it.
        await appendAudit(tx, {
          actor: caller.subject,
          origin: 'api',
          verb: 'sign-in-link.create',
          subjectKind: 'principal',
          subjectId: body.principal,
        });
        return createSignInLink(tx, deps.ids, {
          subject: body.principal,
          madeBy: accountBehind(caller),
          lifeMs: deps.config.auth.signInLinkLife,
        });
      });
      return { status: 201, body: { path: `/sign-in?token=${token}` } };
    },
  });
}

/** The link opens a page with a button: following a link must change nothing, since mail and chat scanners follow links. */
function registerSignInPage(context: RouteContext): void {
  const hidden = { schema: { hide: true } };
  /** While the link cannot be looked up the button stands all the same: what is wrong, the press will say. */
  const look = (token: string): Promise<LinkState | undefined> =>
    readSignInLink(context.deps.db, token).catch(() => undefined);
  context.app.get('/sign-in', hidden, async (request, reply) => {
    const { token } = request.query as { token?: unknown };
    if (typeof token !== 'string' || token === '') return page(reply).send(signInPage('', undefined));
    return page(reply).send(signInPage(token, await look(token)));
  });
  context.app.post('/sign-in', hidden, async (request, reply) => {
    requireOwnPage(request);
    const token = Token.safeParse((request.body as { token?: unknown } | null)?.token);
    try {
      const opened = await open(context, token.success ? token.data : '');
      return await reply.header('set-cookie', opened.cookie).redirect('/', 303);
    } catch (error: unknown) {
      if (!(error instanceof ApiProblem)) throw error;
      const state = token.success ? await look(token.data) : undefined;
      const refused: LinkState = state === undefined || state.kind === 'good' ? { kind: 'unknown' } : state;
      return page(reply).code(error.status).send(signInPage('', refused));
    }
  });
}

function page(reply: FastifyReply): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store');
}
