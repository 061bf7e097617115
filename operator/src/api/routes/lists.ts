import { ACTION_STATES } from '@hephaisto/core/action/machine';
import { ACTION_TYPES } from '@hephaisto/core/action/types';
import { readableBy } from '@hephaisto/core/principal/access';
import { Action } from '@hephaisto/core/report/action';
import { PersonRef, pageOf } from '@hephaisto/core/report/named';
import { Signal } from '@hephaisto/core/report/signal';
import { SIGNAL_KINDS, SIGNAL_SOURCES } from '@hephaisto/core/signal/kind';
import { DISPOSITIONS } from '@hephaisto/core/signal/observation';
import { z } from 'zod';
import { listActions } from '../../flow/9-report/actions.ts';
import { listSignals } from '../../flow/9-report/signals.ts';
import { defineRoute, type RouteContext } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';
import { manyOf, manyTexts, paging, SearchText, Since } from '../query.ts';

/** Lists that are only read: what was heard, what was done, who there is. */
export function registerListRoutes(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'GET /api/v1/signals', {
    summary: 'List signals, newest first, those that opened nothing included, each with why',
    tag: 'signals',
    query: z.object({
      disposition: manyOf(DISPOSITIONS),
      source: manyOf(SIGNAL_SOURCES),
      kind: manyOf(SIGNAL_KINDS),
      namespace: manyTexts(),
      status: z.enum(['firing', 'resolved', 'unknown']).optional(),
      text: SearchText,
      since: Since,
      ...paging,
    }),
    answer: pageOf(Signal, 'SignalPage'),
    async handle({ query, caller }) {
      const { limit, cursor, ...filters } = query;
      const listed = await listSignals(deps.db, readableBy(caller), filters, { limit, cursor });
      if (listed.kind === 'refused') throw new ApiProblem(listed.reason, listed.message);
      return { status: 200, body: listed.page };
    },
  });
  defineRoute(context, 'GET /api/v1/actions', {
    summary: 'List what was done or refused, newest first',
    tag: 'actions',
    query: z.object({
      state: manyOf(ACTION_STATES),
      type: manyOf(ACTION_TYPES),
      namespace: manyTexts(),
      workload: z
        .string()
        .max(320)
        .regex(/^[A-Za-z]+\/[^/]+$/, 'expected a kind and a name, such as Deployment/checkout')
        .optional()
        .meta({ description: 'Kind and name, such as `Deployment/checkout`' }),
      since: Since,
      ...paging,
    }),
    answer: pageOf(Action, 'ActionPage'),
    async handle({ query, caller }) {
      const { limit, cursor, ...filters } = query;
      const listed = await listActions(deps.db, readableBy(caller), filters, { limit, cursor });
      if (listed.kind === 'refused') throw new ApiProblem(listed.reason, listed.message);
      return { status: 200, body: listed.page };
    },
  });
  defineRoute(context, 'GET /api/v1/people', {
    summary: 'List people to whom an incident can be given, as far as they share a namespace with you',
    tag: 'installation',
    answer: z.object({ items: z.array(PersonRef) }).meta({ id: 'People' }),
    async handle({ caller }) {
      const readable = readableBy(caller);
      const rows = await deps.db.query<{ subject: string; name: string }>(
        `SELECT p.subject, p.display_name AS name FROM principals p WHERE p.kind = 'person' AND EXISTS (
           SELECT 1 FROM role_grants g WHERE g.subject = p.subject AND g.revoked_at IS NULL AND g.source <> 'token'
             AND ($1::text[] IS NULL OR g.namespace = '' OR g.namespace = ANY($1::text[]))) ORDER BY p.subject LIMIT 1000`,
        [readable.kind === 'everything' ? null : readable.namespaces],
      );
      return { status: 200, body: { items: rows } };
    },
  });
}
