import { z } from 'zod';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
}

/**
 * Every way in which the API refuses, by its stable code. The text may change, a code and its status never do; programs tell refusals
 * apart by the code alone.
 */
export const PROBLEMS = {
  'invalid-request': { status: 400, title: 'The request does not fit the schema' },
  'malformed-body': { status: 400, title: 'The body cannot be read' },
  'unknown-parameter': { status: 400, title: 'The query has a parameter that the route does not know' },
  'invalid-cursor': { status: 400, title: 'The cursor is none of this list' },
  unauthenticated: { status: 401, title: 'Sign in first' },
  'link-invalid': { status: 401, title: 'The sign-in link is unknown, used or expired' },
  'role-missing': { status: 403, title: 'The account may not do this here' },
  'self-approval': { status: 403, title: 'Whoever proposed it cannot approve it' },
  'service-vote': { status: 403, title: 'Only people vote here' },
  'csrf-refused': { status: 403, title: 'The request lacks the token of its session' },
  'origin-refused': { status: 403, title: 'The request comes from another site' },
  'not-found': { status: 404, title: 'Nothing is here' },
  'incident-not-found': { status: 404, title: 'No such incident' },
  'investigation-not-found': { status: 404, title: 'No such investigation' },
  'proposal-not-found': { status: 404, title: 'No such proposal' },
  'step-not-found': { status: 404, title: 'No such step' },
  'switch-not-found': { status: 404, title: 'No such switch' },
  'person-not-found': { status: 404, title: 'No such person' },
  'already-decided': { status: 409, title: 'The proposal is decided' },
  'already-voted': { status: 409, title: 'One vote a person' },
  'target-changed': { status: 409, title: 'The target changed since the proposal' },
  'digest-mismatch': { status: 409, title: 'The digest is not that of the proposal' },
  'switched-off': { status: 409, title: 'A switch forbids it' },
  'not-revisable': { status: 409, title: 'No new revision can be made' },
  'already-acknowledged': { status: 409, title: 'Somebody has acknowledged it' },
  'already-assigned': { status: 409, title: 'It is assigned so already' },
  'already-ended': { status: 409, title: 'The investigation is over' },
  'already-closed': { status: 409, title: 'The incident is over' },
  'not-escalated': { status: 409, title: 'Only an escalated incident is looked at again' },
  'nothing-changed': { status: 409, title: 'Nothing that the finding rests on has changed' },
  'illegal-state': { status: 409, title: 'Not possible in the present state' },
  busy: { status: 409, title: 'It is being worked on right now' },
  'request-in-progress': { status: 409, title: 'The same request is under way' },
  'evidence-expired': { status: 410, title: 'The raw evidence is gone' },
  'version-mismatch': { status: 412, title: 'It was changed since you read it' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is of another type' },
  'host-refused': { status: 421, title: 'This server is not known by that name' },
  'webhook-refused': { status: 400, title: 'The delivery can never succeed' },
  'reason-required': { status: 422, title: 'A reason is required' },
  'invalid-value': { status: 422, title: 'The value cannot be set' },
  'idempotency-key-reused': { status: 422, title: 'The key was used for another request' },
  'version-required': { status: 428, title: 'Say which version you have seen' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  'too-many-streams': { status: 429, title: 'Too many live streams' },
  internal: { status: 500, title: 'A mistake of ours' },
  'store-unavailable': { status: 503, title: 'The database is away' },
  'cluster-unavailable': { status: 503, title: 'The cluster is away' },
  overloaded: { status: 503, title: 'Too busy' },
  'shutting-down': { status: 503, title: 'Shutting down' },
} as const satisfies Readonly<Record<string, ProblemKind>>;
export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

/** RFC 9457, with a stable code. `details` are facts of the refusal: who decided and when, what changed, which fields are wrong. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(PROBLEM_CODES as readonly [ProblemCode, ...ProblemCode[]]),
    detail: z.string(),
    instance: z.string().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457)' });
export type Problem = z.infer<typeof Problem>;
