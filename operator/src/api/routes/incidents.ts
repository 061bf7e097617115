import { gunzipSync } from 'node:zlib';
import { INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import { judgeAccess, readableBy } from '@hephaisto/core/principal/access';
import type { Role } from '@hephaisto/core/principal/service';
import { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import { pageOf } from '@hephaisto/core/report/named';
import { SEVERITIES, SIGNAL_KINDS } from '@hephaisto/core/signal/kind';
import { z } from 'zod';
import { readRawEvidence } from '../../flow/9-report/evidence.ts';
import { listIncidents } from '../../flow/9-report/incident-list.ts';
import { type IncidentPlace, locateIncident, readIncident } from '../../flow/9-report/incident-report.ts';
import { ACCESS } from '../access-table.ts';
import type { Authenticated } from '../auth/authenticate.ts';
import { admit, defineRoute, headerText, REFUSALS, type RouteContext } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';
import { etagOf, manyOf, manyTexts, paging, QueryFlag, SearchText, Since, versionOf } from '../query.ts';
import { refusalProblem } from '../refusals.ts';

export const IncidentId = z
  .union([z.uuid(), z.string().regex(/^\d{1,15}$/)], { error: 'expected a uuid or a number' })
  .meta({ description: 'The uuid, or the number that people say' });
const ById = z.object({ id: IncidentId });

const IncidentQuery = z.object({
  state: manyOf(INCIDENT_STATES),
  severity: manyOf(SEVERITIES),
  kind: manyOf(SIGNAL_KINDS),
  namespace: manyTexts(),
  owner: z.string().min(1).max(253).optional(),
  text: SearchText,
  open: QueryFlag.optional(),
  since: Since,
  ...paging,
});

const CommandAnswer = z
  .object({ id: z.uuid(), number: z.int(), state: z.string(), version: z.int() })
  .meta({ id: 'IncidentCommandAnswer' });
const Reason = z.string().trim().min(1).max(2000);

export function registerIncidentRoutes(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'GET /api/v1/incidents', {
    summary: 'List incidents, newest first',
    tag: 'incidents',
    query: IncidentQuery,
    answer: pageOf(IncidentSummary, 'IncidentPage'),
    async handle({ query, caller }) {
      const { limit, cursor, ...filters } = query;
      const listed = await listIncidents(deps.db, readableBy(caller), filters, { limit, cursor });
      if (listed.kind === 'refused') throw new ApiProblem(listed.reason, listed.message);
      return { status: 200, body: listed.page };
    },
  });
  defineRoute(context, 'GET /api/v1/incidents/:id', {
    summary: 'Read everything of one incident',
    tag: 'incidents',
    params: ById,
    query: z.object({ seen: z.coerce.number().int().min(0).optional().meta({ description: 'Version already seen' }) }),
    answer: IncidentReport,
    async handle({ params, query, caller }) {
      const place = await locate(context, params.id, caller, 'viewer');
      const report = await readIncident(deps.db, place.id, query.seen);
      if (report === undefined) throw notFound(params.id);
      return { status: 200, body: report, headers: { etag: etagOf(report.version) } };
    },
  });
  registerRaw(context);
  registerCommands(context);
}

function registerRaw(context: RouteContext): void {
  context.app.get(
    '/api/v1/incidents/:id/steps/:step/raw',
    {
      schema: {
        summary: 'Read the raw bytes behind a step, redacted at capture',
        tags: ['incidents'],
        security: [{ session: [] }, { bearer: [] }],
        params: z.object({ id: IncidentId, step: z.uuid() }),
        response: {
          200: { description: 'As captured', content: { 'text/plain': { schema: z.string() } } },
          ...REFUSALS,
        },
      },
      onRequest: async (request) => {
        request.caller = await admit(context, ACCESS['GET /api/v1/incidents/:id/steps/:step/raw'], request, false);
      },
      // Bytes go out as they are; what is left to write is a refusal.
      serializerCompiler: () => (data) => JSON.stringify(data),
    },
    async (request, reply) => {
      const { id, step } = request.params as { id: string; step: string };
      if (request.caller === undefined) throw new ApiProblem('unauthenticated', 'expected an account, found none');
      const place = await locate(context, id, request.caller, 'viewer');
      const raw = await readRawEvidence(context.deps.db, place.id, step);
      if (raw.kind === 'refused') throw new ApiProblem(raw.reason, raw.message);
      const content = raw.encoding === 'gzip' ? gunzipSync(raw.content) : Buffer.from(raw.content);
      // Always plain text: whatever a log line pretends to be, a browser must not run it.
      return reply
        .header('content-disposition', `inline; filename="step-${step}.txt"`)
        .header('x-content-sha256', raw.sha256)
        .type('text/plain; charset=utf-8')
        .send(content);
    },
  );
}

function registerCommands(context: RouteContext): void {
  const { deps } = context;
  const WithReason = z.object({ reason: Reason });
  command(
    context,
    'POST /api/v1/incidents/:id/close',
    'Close the incident as a person',
    WithReason,
    (author, id, body) => deps.commands.close({ ...author, incidentId: id, reason: body.reason }),
  );
  command(
    context,
    'POST /api/v1/incidents/:id/reinvestigate',
    'Look again; refused while all that the finding quotes stands as it stood, unless `anyway` is said',
    WithReason.extend({ anyway: z.boolean().default(false) }),
    (author, id, body) =>
      deps.commands.reinvestigate({ ...author, incidentId: id, reason: body.reason, anyway: body.anyway }),
  );
  command(
    context,
    'POST /api/v1/incidents/:id/ack',
    'Say that you have seen it',
    // Nothing needs to be said, so nothing at all may be sent.
    z.object({}).nullish(),
    (author, id) => deps.commands.acknowledge({ ...author, incidentId: id }),
  );
  command(
    context,
    'POST /api/v1/incidents/:id/note',
    'Note something on the timeline',
    z.object({ text: Reason }),
    (author, id, body) => deps.commands.note({ ...author, incidentId: id, text: body.text }),
  );
  command(
    context,
    'POST /api/v1/incidents/:id/assign',
    'Give the incident to somebody, or to nobody; needs If-Match',
    z.object({ assignee: z.string().min(1).max(200).nullable() }),
    (author, id, body, expectedVersion) => {
      if (expectedVersion === undefined)
        throw new ApiProblem(
          'version-required',
          'expected the header If-Match with the ETag of the incident, found none',
        );
      return deps.commands.assign({ ...author, incidentId: id, assignee: body.assignee, expectedVersion });
    },
  );
}

type Outcome = Awaited<ReturnType<RouteContext['deps']['commands']['close']>>;

function command<B extends z.ZodType>(
  context: RouteContext,
  key:
    | 'POST /api/v1/incidents/:id/close'
    | 'POST /api/v1/incidents/:id/reinvestigate'
    | 'POST /api/v1/incidents/:id/ack'
    | 'POST /api/v1/incidents/:id/note'
    | 'POST /api/v1/incidents/:id/assign',
  summary: string,
  body: B,
  run: (
    author: { actor: string; origin: 'console' | 'api' },
    incidentId: string,
    body: z.output<B>,
    expectedVersion: number | undefined,
  ) => Promise<Outcome>,
): void {
  defineRoute(context, key, {
    summary,
    tag: 'incidents',
    params: ById,
    body,
    answer: CommandAnswer,
    ifMatch: true,
    async handle({ params, body: given, caller, request }) {
      const place = await locate(context, params.id, caller, 'responder');
      const expected = versionOf(headerText(request.headers['if-match']));
      const outcome = await run(authorOf(caller), place.id, given, expected);
      if (outcome.kind === 'refused') throw refusalProblem(outcome);
      const rows = await context.deps.db.query<{ id: string; number: number; state: string; version: number }>(
        'SELECT id, number, state, version FROM incidents WHERE id = $1',
        [place.id],
      );
      const [row] = rows;
      if (row === undefined) throw notFound(params.id);
      return { status: 200, body: row, headers: { etag: etagOf(row.version) } };
    },
  });
}

/** Through which door somebody came: a session is the console, everything else a program. */
export function authorOf(caller: Authenticated): { actor: string; origin: 'console' | 'api' } {
  return { actor: caller.subject, origin: caller.via === 'session' ? 'console' : 'api' };
}

/**
 * The incident, if the caller may read it and holds the role for its namespace. One that may not even be read is not found, so that
 * nobody learns what other teams suffer from.
 */
export async function locate(
  context: RouteContext,
  id: string,
  caller: Authenticated,
  role: Role,
): Promise<IncidentPlace> {
  const key = /^\d+$/.test(id) ? { number: Number(id) } : { id };
  const place = await locateIncident(context.deps.db, key);
  if (place === undefined) throw notFound(id);
  const namespace = place.namespace ?? undefined;
  if (judgeAccess(caller, 'viewer', namespace).kind === 'refused') throw notFound(id);
  const verdict = judgeAccess(caller, role, namespace);
  if (verdict.kind === 'refused')
    throw new ApiProblem('role-missing', verdict.message, { details: { needed: role, namespace: namespace ?? null } });
  return place;
}

function notFound(id: string): ApiProblem {
  return new ApiProblem('incident-not-found', `expected an incident that you may read, found none for \`${id}\``);
}
