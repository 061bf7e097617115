import type { Proposal } from '@hephaisto/core/report/action';
import type { Session, Switch } from '@hephaisto/core/report/installation';
import { call, freshKey } from './call.ts';

/** Everything the console asks the server to do. Each rejects with `CallFailed`. A `key` is the press: sent again after a silence, it still counts once. */

interface Decided {
  readonly proposal: { readonly id: string; readonly state: string };
  readonly votes: number;
  readonly quorum: number;
}

/** The vote for exactly this digest. */
export function decideProposal(
  proposal: Pick<Proposal, 'id' | 'digest'>,
  decision: 'approve' | 'deny',
  reason: string,
  key: string,
): Promise<Decided> {
  return call('POST', `/api/v1/proposals/${proposal.id}/${decision}`, {
    body: { digest: proposal.digest, ...(reason === '' ? {} : { reason }) },
    idempotencyKey: key,
  });
}

export function reviseProposal(id: string, reason: string, key: string): Promise<Proposal> {
  return call('POST', `/api/v1/proposals/${id}/revise`, { body: { reason }, idempotencyKey: key });
}

export type IncidentCommand = 'ack' | 'close' | 'reinvestigate' | 'note';

export function commandIncident(
  id: string,
  command: IncidentCommand,
  body: Record<string, string | boolean>,
  key: string,
): Promise<unknown> {
  return call('POST', `/api/v1/incidents/${id}/${command}`, { body, idempotencyKey: key });
}

export function assignIncident(id: string, assignee: string | null, seen: number, key: string): Promise<unknown> {
  return call('POST', `/api/v1/incidents/${id}/assign`, { body: { assignee }, seen, idempotencyKey: key });
}

/** Stopping needs no version seen: it must never wait for a reread. */
export function setSwitch(name: string, value: string, reason: string, seen: number | undefined): Promise<Switch> {
  return call('PUT', `/api/v1/switches/${encodeURIComponent(name)}`, {
    body: { value, reason },
    ...(seen === undefined ? {} : { seen }),
    idempotencyKey: freshKey(),
  });
}

export function revokeGrant(id: string): Promise<unknown> {
  return call('DELETE', `/api/v1/grants/${encodeURIComponent(id)}`, { idempotencyKey: freshKey() });
}

export function signIn(token: string): Promise<Session> {
  return call('POST', '/api/v1/session', { body: { token } });
}

export function signOut(): Promise<unknown> {
  return call('DELETE', '/api/v1/session');
}
