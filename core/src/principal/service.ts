/**
 * Named services that act in the log beside people; each is a row in `principals`, so that no event has an anonymous author.
 */
export const SERVICE_PRINCIPALS = {
  ingest: 'service:hephaisto/ingest',
  triage: 'service:hephaisto/triage',
  investigator: 'service:hephaisto/investigator',
  planner: 'service:hephaisto/planner',
  policy: 'service:hephaisto/policy',
  actor: 'service:hephaisto/actor',
  verifier: 'service:hephaisto/verifier',
  sweeper: 'service:hephaisto/sweeper',
} as const;
export type ServicePrincipal = (typeof SERVICE_PRINCIPALS)[keyof typeof SERVICE_PRINCIPALS];

export const ROLES = ['viewer', 'responder', 'approver', 'admin'] as const;
/** Each role includes the ones before it. */
export type Role = (typeof ROLES)[number];
