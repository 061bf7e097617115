import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApi } from '@hephaisto/test/api';
import { insertIncident } from '@hephaisto/test/incident-rows';

test('a stop lets what is under way end, and tells what comes then to come back', async () => {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  await using api = await startTestApi({
    commands: {
      async note() {
        reached.resolve();
        await goOn.promise;
        return { kind: 'done' };
      },
    },
  });
  const rui = await api.signIn('rui');
  const incident = await insertIncident(api.db);
  const noting = api.call(`/api/v1/incidents/${incident}/note`, { as: rui, body: { text: 'on it' } });
  await reached.promise;
  const restarting = api.restart();
  const late = await api.call('/api/v1/incidents', { as: rui });
  assert.deepEqual(
    [late.status, late.body.code, late.headers.get('retry-after'), late.headers.get('connection')],
    [503, 'shutting-down', '1', 'close'],
  );
  assert.equal((await api.call('/livez')).status, 200, 'a process that is stopping lives');
  goOn.resolve();
  assert.equal((await noting).status, 200);
  await restarting;
  assert.equal((await api.call('/api/v1/incidents', { as: rui })).status, 200);
});
