import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PersonName, startTestApi } from '@hephaisto/test/api';
import { stageRoutes } from './stage-routes.ts';

/** Who may do what, `nina` being an approver of one namespace. */
const MAY: Readonly<Record<PersonName, { readonly look: boolean; readonly play: boolean; readonly reset: boolean }>> = {
  nobody: { look: false, play: false, reset: false },
  vic: { look: true, play: false, reset: false },
  nina: { look: true, play: false, reset: false },
  rui: { look: true, play: true, reset: false },
  ana: { look: true, play: true, reset: true },
  ben: { look: true, play: true, reset: true },
  ada: { look: true, play: true, reset: true },
};

test('stories are played and taken away only by who may do so in every namespace', async () => {
  const done: string[] = [];
  const theatre = {
    playAll: async () => true,
    play: (id: string) => void done.push(id),
    reset: () => void done.push('reset'),
    states: () => new Map(),
    close: async () => undefined,
  };
  await using api = await startTestApi({ deps: { extensions: [stageRoutes(10, () => theatre)] } });
  for (const [name, may] of Object.entries(MAY) as [PersonName, (typeof MAY)[PersonName]][]) {
    const as = await api.signIn(name);
    done.length = 0;
    const answers = [
      await api.call('/demo/stories', { as }),
      await api.call('/demo/stories/bad-rollout', { as, method: 'POST' }),
      await api.call('/demo/reset', { as, method: 'POST' }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [may.look ? 200 : 403, may.play ? 202 : 403, may.reset ? 202 : 403],
      name,
    );
    assert.deepEqual(done, [...(may.play ? ['bad-rollout'] : []), ...(may.reset ? ['reset'] : [])], name);
  }
  const stranger = await api.call('/demo/reset', { method: 'POST' });
  assert.deepEqual([stranger.status, stranger.body.code], [401, 'unauthenticated']);
  const ada = await api.signIn('ada');
  assert.equal((await api.call('/demo/stories/nothing', { as: ada, method: 'POST' })).body.code, 'not-found');
  assert.equal((await api.call('/demo/stories?id=x', { as: ada })).body.code, 'unknown-parameter');
});

test('until the stage is there, what is played on it is to be tried again', async () => {
  await using api = await startTestApi({ deps: { extensions: [stageRoutes(10, () => undefined)] } });
  const ada = await api.signIn('ada');
  for (const path of ['/demo/stories/bad-rollout', '/demo/reset']) {
    const answer = await api.call(path, { as: ada, method: 'POST' });
    assert.deepEqual([answer.status, answer.body.code, answer.headers.get('retry-after')], [503, 'overloaded', '1']);
  }
});
