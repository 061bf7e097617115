import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApiUnderTest, type SignedIn, startTestApi } from '@hephaisto/test/api';
import { insertIncident, insertSignal } from '@hephaisto/test/incident-rows';
import { ACCESS } from './access-table.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const READS = Object.keys(ACCESS)
  .filter((key) => key.startsWith('GET /api/'))
  .map((key) => key.slice('GET '.length));

interface Documented {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters?: readonly { in: string; name: string }[] } }>
  >;
}

describe('what a query may say', () => {
  let api: ApiUnderTest;
  let ada: SignedIn;
  before(async () => {
    api = await startTestApi();
    ada = await api.signIn('ada');
  });
  after(() => api[Symbol.asyncDispose]());

  for (const route of READS)
    test(`GET ${route} refuses what it does not know, and names what it knows as documented`, async () => {
      const path = route.replace(/:\w+/g, NOBODY);
      const answer = await api.call(`${path}?limitt=5&limit%00=1`, { as: ada });
      assert.deepEqual([answer.status, answer.body.code], [400, 'unknown-parameter'], answer.text);
      const { unknown, known } = answer.body.details as { unknown: string[]; known: string[] };
      assert.deepEqual(unknown, ['limitt', 'limit\0']);
      assert.match(String(answer.body.detail), /^expected (no parameters|only the parameters .+), found `limitt`/);
      const { paths } = (await api.call('/api/v1/openapi.json')).body as unknown as Documented;
      const documented = paths[route.replace(/:(\w+)/g, '{$1}')]?.get?.parameters ?? [];
      assert.deepEqual(
        known,
        documented.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      );
    });

  test('a command with a parameter that nobody knows is not carried out', async () => {
    const incident = await insertIncident(api.db, { title: 'web' });
    const before = api.commanded.length;
    const path = `/api/v1/incidents/${incident}/close?dryRun=true`;
    const answer = await api.call(path, { as: ada, body: { reason: 'known' } });
    assert.deepEqual([answer.status, answer.body.code], [400, 'unknown-parameter']);
    assert.equal(api.commanded.length, before);
  });

  test('the stop is refused for no parameter, and neither are pages and probes', async () => {
    const stop = { method: 'PUT', as: ada, body: { value: 'on', reason: 'now' } } as const;
    assert.notEqual(
      (await api.call('/api/v1/switches/emergency_stop?from=phone', stop)).body.code,
      'unknown-parameter',
    );
    for (const path of ['/livez?probe=1', '/readyz?verbose', '/docs?utm_source=mail'])
      assert.notEqual((await api.call(path)).status, 400, path);
  });

  test('the cursor of one list is none of another, though both sort alike', async () => {
    for (let n = 0; n < 3; n += 1) await insertSignal(api.db, { disposition: 'benign', reason: 'planned rollout' });
    const next = String((await api.call('/api/v1/signals?limit=1', { as: ada })).body.next);
    assert.equal((await api.call(`/api/v1/signals?limit=1&cursor=${next}`, { as: ada })).status, 200);
    for (const list of ['incidents', 'proposals', 'actions']) {
      const answer = await api.call(`/api/v1/${list}?cursor=${next}`, { as: ada });
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid-cursor'], list);
      assert.equal(
        answer.body.detail,
        `expected a cursor that an earlier page of the list of ${list} gave, found one of the list of signals`,
      );
    }
  });
});
