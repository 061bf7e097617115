import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApiUnderTest, type PersonName, type SignedIn, startTestApi } from '@hephaisto/test/api';
import { insertIncident, insertInvestigation, insertProposal, moveIncidentTo } from '@hephaisto/test/incident-rows';
import { ACCESS, type Access, type RouteKey } from './access-table.ts';

/** What each person may do everywhere, in the order of the roles. */
const RANKS: readonly (readonly [PersonName, number])[] = [
  ['nobody', -1],
  ['vic', 0],
  ['rui', 1],
  ['ana', 2],
  ['ada', 3],
];
const RANK_OF_ROLE = { viewer: 0, responder: 1, approver: 2, admin: 3 } as const;

/** A body that fits each write, so that only the role can refuse it. */
const BODIES: Readonly<Partial<Record<RouteKey, unknown>>> = {
  'POST /api/v1/incidents/:id/close': { reason: 'done' },
  'POST /api/v1/incidents/:id/reinvestigate': { reason: 'again' },
  'POST /api/v1/investigations/:id/stop': { reason: 'enough' },
  'POST /api/v1/incidents/:id/ack': {},
  'POST /api/v1/incidents/:id/assign': { assignee: 'ana' },
  'POST /api/v1/incidents/:id/note': { text: 'hello' },
  'POST /api/v1/proposals/:id/revise': { reason: 'again' },
  'PUT /api/v1/switches/:name': { value: 'on', reason: 'stop' },
  'POST /api/v1/tokens': { principal: 'ci', role: 'viewer' },
  'POST /api/v1/sign-in-links': { principal: 'vic' },
};

describe('every route asks for its role', () => {
  let api: ApiUnderTest;
  let sessions: Map<PersonName, SignedIn>;
  let proposal: { proposalId: string; digest: string };
  let incidentId: string;
  let stepId: string;
  let investigationId: string;

  before(async () => {
    api = await startTestApi({ config: { server: { port: 0, stream: { perAccount: 50 } } } });
    incidentId = await insertIncident(api.db);
    await moveIncidentTo(api.db, incidentId, 'AwaitingApproval');
    const looked = await insertInvestigation(api.db, incidentId, { stepText: 'connect ECONNREFUSED db-new:5432' });
    stepId = looked.stepId;
    investigationId = looked.investigationId;
    proposal = await insertProposal(api.db, incidentId, looked.investigationId);
    sessions = new Map();
    for (const [name] of RANKS) sessions.set(name, await api.signIn(name));
  });
  after(() => api[Symbol.asyncDispose]());

  function pathOf(key: RouteKey): string {
    const [, url = ''] = key.split(' ');
    const id = url.includes('/proposals/')
      ? proposal.proposalId
      : url.includes('/tokens/')
        ? '0'.repeat(16)
        : url.includes('/grants/')
          ? '999999'
          : url.includes('/investigations/')
            ? investigationId
            : incidentId;
    return url.replace(':id', id).replace(':step', stepId).replace(':name', 'emergency_stop');
  }

  async function statusFor(key: RouteKey, as: SignedIn | undefined): Promise<{ status: number; code: unknown }> {
    const [method = 'GET'] = key.split(' ');
    if (key === 'GET /api/v1/stream') return streamStatus(as);
    const decides = key.endsWith('/approve') || key.endsWith('/deny');
    const body = decides ? { digest: proposal.digest, reason: 'because' } : BODIES[key];
    const version = await api.db.query<{ version: number }>('SELECT version FROM incidents WHERE id = $1', [
      incidentId,
    ]);
    const answer = await api.call(pathOf(key), {
      method,
      ...(body === undefined ? {} : { body }),
      ...(as === undefined ? {} : { as }),
      ...(key.endsWith('/assign') ? { headers: { 'if-match': `"${version[0]?.version}"` } } : {}),
    });
    return { status: answer.status, code: answer.body.code };
  }

  async function streamStatus(as: SignedIn | undefined): Promise<{ status: number; code: unknown }> {
    const stop = new AbortController();
    const response = await fetch(`${api.url}/api/v1/stream`, {
      signal: stop.signal,
      headers: as === undefined ? {} : { cookie: as.cookie },
    });
    const refused = response.status === 200 ? {} : ((await response.json()) as { code?: unknown });
    stop.abort();
    return { status: response.status, code: refused.code };
  }

  const guarded = Object.entries(ACCESS).filter(
    (entry): entry is [RouteKey, Extract<Access, { kind: 'role' }>] => entry[1].kind === 'role',
  );

  for (const [key, access] of guarded) {
    test(`${key} is for ${access.role} and above`, async () => {
      assert.deepEqual(await statusFor(key, undefined), { status: 401, code: 'unauthenticated' });
      for (const [name, rank] of RANKS) {
        const { status, code } = await statusFor(key, sessions.get(name));
        if (rank < RANK_OF_ROLE[access.role])
          assert.deepEqual({ name, status, code }, { name, status: 403, code: 'role-missing' });
        else
          assert.ok(
            status < 400 || code === 'not-found' || code === 'evidence-expired',
            `${name}: ${status} ${String(code)}`,
          );
      }
    });
  }

  test('every other route is open on purpose, and none of them writes for somebody who is not known', () => {
    const others = Object.entries(ACCESS).filter(([, access]) => access.kind !== 'role');
    for (const [key, access] of others) {
      if (access.kind === 'open') assert.match(key, /^GET /);
    }
    assert.deepEqual(
      others.filter(([, access]) => access.kind === 'link').map(([key]) => key),
      ['POST /sign-in', 'POST /api/v1/session'],
    );
  });

  test('the kill switch is turned on by a responder and off only by an admin, who must have read it', async () => {
    const put = (who: PersonName, value: string, headers: Record<string, string> = {}) => {
      const as = sessions.get(who);
      return api.call('/api/v1/switches/emergency_stop', {
        method: 'PUT',
        body: { value, reason: 'r' },
        headers,
        ...(as && { as }),
      });
    };
    assert.equal((await put('rui', 'on')).status, 200);
    assert.deepEqual(
      [(await put('rui', 'off')).body.code, (await put('ana', 'off')).body.code],
      ['role-missing', 'role-missing'],
    );
    assert.equal((await put('ada', 'off')).body.code, 'version-required');
    assert.equal((await put('ada', 'off', { 'if-match': '"99"' })).body.code, 'version-mismatch');
    assert.equal((await put('ada', 'off', { 'if-match': '"0"' })).status, 200);
    assert.equal((await put('ada', 'on', { 'content-type': 'text/plain' })).body.code, 'unsupported-media-type');
  });

  test('a grant for one namespace neither shows nor decides what lies elsewhere', async () => {
    const nina = await api.signIn('nina');
    const elsewhere = await insertIncident(api.db, { namespace: 'pay', title: 'pay is down' });
    const onNode = await insertIncident(api.db, { namespace: undefined, title: 'node is down' });
    const listed = await api.call('/api/v1/incidents', { as: nina });
    const titles = (listed.body.items as { title: string }[]).map((item) => item.title);
    assert.deepEqual(titles, ['web crashes']);
    for (const id of [elsewhere, onNode]) {
      assert.equal((await api.call(`/api/v1/incidents/${id}`, { as: nina })).body.code, 'incident-not-found');
      assert.equal(
        (await api.call(`/api/v1/incidents/${id}/close`, { as: nina, body: { reason: 'x' } })).body.code,
        'incident-not-found',
      );
    }
    assert.equal(
      (
        await api.call('/api/v1/switches/emergency_stop', {
          as: nina,
          method: 'PUT',
          body: { value: 'on', reason: 'x' },
        })
      ).body.code,
      'role-missing',
    );
    const vote = { digest: proposal.digest, reason: 'yes' };
    assert.equal(
      (await api.call(`/api/v1/proposals/${proposal.proposalId}/approve`, { as: nina, body: vote })).status,
      200,
    );
  });
});
