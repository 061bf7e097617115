import { gunzipSync } from 'node:zlib';
import { Transcript } from '@hephaisto/core/report/transcript';
import { z } from 'zod';
import { readTranscript } from '../../flow/9-report/transcript.ts';
import { appendAudit } from '../../flow/incident-log/audit.ts';
import { defineRoute, type RouteContext } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';
import { refusalProblem } from '../refusals.ts';
import { authorOf, IncidentId, locate } from './incidents.ts';

const StopAnswer = z
  .object({ id: z.uuid(), incidentId: z.uuid(), state: z.literal('Stopped') })
  .meta({ id: 'StopAnswer', description: 'The look is over; what was under way is being broken off' });

/** Looks at incidents: to stop one, and to read what left the cluster for it. */
export function registerInvestigationRoutes(context: RouteContext): void {
  const { deps } = context;
  defineRoute(context, 'POST /api/v1/investigations/:id/stop', {
    summary: 'Stop an investigation that is under way',
    description:
      'It is over at once; a call of a model that is under way is broken off within a second. 409 already-ended.',
    tag: 'incidents',
    params: z.object({ id: z.uuid() }),
    body: z.object({ reason: z.string().trim().min(1).max(2000) }),
    answer: StopAnswer,
    async handle({ params, body, caller }) {
      const [row] = await deps.db.query<{ incident_id: string }>(
        'SELECT incident_id FROM investigations WHERE id = $1',
        [params.id],
      );
      if (row === undefined) throw notFound(params.id);
      const place = await locate(context, row.incident_id, caller, 'responder').catch((error: unknown) => {
        throw error instanceof ApiProblem && error.code === 'incident-not-found' ? notFound(params.id) : error;
      });
      const command = { ...authorOf(caller), investigationId: params.id, reason: body.reason };
      const outcome = await deps.commands.stopInvestigation(command);
      if (outcome.kind === 'refused') throw refusalProblem(outcome);
      return { status: 200, body: { id: params.id, incidentId: place.id, state: 'Stopped' as const } };
    },
  });
  defineRoute(context, 'GET /api/v1/incidents/:id/transcript', {
    summary: 'Read every byte that was sent to a model for this incident',
    description: 'Reading it is written to the audit.',
    tag: 'incidents',
    params: z.object({ id: IncidentId }),
    answer: Transcript,
    async handle({ params, caller }) {
      const place = await locate(context, params.id, caller, 'viewer');
      const { actor, origin } = authorOf(caller);
      await appendAudit(deps.db, {
        actor,
        origin,
        verb: 'transcript.read',
        subjectKind: 'transcript',
        subjectId: place.id,
        ...(place.namespace === null ? {} : { namespace: place.namespace }),
      });
      const body = await readTranscript(deps.db, place.id, (bytes) => gunzipSync(bytes).toString('utf8'));
      return { status: 200, body };
    },
  });
}

function notFound(id: string): ApiProblem {
  return new ApiProblem(
    'investigation-not-found',
    `expected an investigation that you may read, found none for \`${id}\``,
  );
}
