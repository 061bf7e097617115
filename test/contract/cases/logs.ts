import { at } from '../../../operator/src/demo/cluster/json-at.ts';
import type { Behaviour } from '../../../operator/src/demo/stories/behaviour.ts';
import { type ContractCase, type Stage, until, whole } from '../case.ts';
import { container, parkedPod, path, pod } from '../objects.ts';

const CRASHING: Behaviour = {
  workload: 'web',
  when: { kind: 'always' },
  run: {
    log: [
      { at: 0, text: 'starting {pod}' },
      { at: 0, text: 'a second line' },
      { at: 0, text: 'fatal: no such host' },
    ],
    exit: { after: 1, code: 3, reason: 'Error' },
  },
};

const TALKING: Behaviour = {
  workload: 'web',
  when: { kind: 'always' },
  run: {
    log: [
      { at: 0, text: 'one' },
      { at: 0, text: 'two' },
      { at: 0, text: 'three' },
    ],
  },
};

async function podThat(stage: Stage, behaviours: readonly Behaviour[], wanted: (body: unknown) => boolean, spec = {}) {
  stage.setBehaviours(behaviours);
  await stage.admin.post(path('pods', stage.namespace), pod('web', { spec }));
  await until(
    () => stage.admin.get(path('pods', stage.namespace, 'web')),
    ({ body }) => wanted(body),
  );
  return async (query: string) =>
    whole(await stage.operator.get(`${path('pods', stage.namespace, 'web', 'log')}?${query}`));
}

const running = (body: unknown) =>
  at(body, 'status', 'phase') === 'Running' && at(body, 'status', 'containerStatuses', 0, 'ready') === true;
const restarted = (body: unknown) => Number(at(body, 'status', 'containerStatuses', 0, 'restartCount') ?? 0) >= 1;

export const LOGS: readonly ContractCase[] = [
  {
    id: 'logs',
    title: 'the lines of a container, all, some, with times, cut short',
    run: async (stage) => {
      const log = await podThat(stage, [TALKING], running);
      return {
        all: await log(''),
        named: await log('container=app'),
        tail: await log('tailLines=1'),
        none: await log('tailLines=0'),
        bytes: await log('limitBytes=5'),
        times: await log('timestamps=true&tailLines=2'),
        since: await log('sinceSeconds=3600'),
        asTheProductAsks: await log('container=app&tailLines=200&limitBytes=65536&timestamps=true'),
        unknownContainer: await log('container=nobody'),
        previous: await log('previous=true'),
      };
    },
  },
  {
    id: 'logs-previous',
    title: 'the lines of the life before',
    run: async (stage) => {
      const log = await podThat(stage, [CRASHING], restarted);
      return { previous: await log('previous=true&container=app'), tail: await log('previous=true&tailLines=1') };
    },
  },
  {
    id: 'logs-bad-queries',
    title: 'questions that make no sense',
    run: async (stage) => {
      const log = await podThat(stage, [TALKING], running);
      return {
        tail: await log('tailLines=-1'),
        bytes: await log('limitBytes=0'),
        since: await log('sinceSeconds=0'),
        word: await log('tailLines=many'),
      };
    },
  },
  {
    id: 'logs-two-containers',
    title: 'with two containers one must be named',
    run: async (stage) => {
      const spec = { containers: [container(), container({ name: 'side' })] };
      const log = await podThat(stage, [TALKING], running, spec);
      return { unnamed: await log(''), side: await log('container=side') };
    },
  },
  {
    id: 'logs-of-nothing',
    title: 'pods that are on no node, or are not at all',
    run: async ({ admin, operator, namespace }) => {
      await admin.post(path('pods', namespace), parkedPod('web'));
      return [
        whole(await operator.get(path('pods', namespace, 'web', 'log'))),
        whole(await operator.get(path('pods', namespace, 'nobody', 'log'))),
      ];
    },
  },
  {
    id: 'logs-before-start',
    title: 'a container whose image is not there has no log',
    run: async (stage) => {
      const pull: Behaviour = { workload: 'web', when: { kind: 'always' }, run: { pullError: 'not found' } };
      const waiting = (body: unknown) =>
        String(at(body, 'status', 'containerStatuses', 0, 'state', 'waiting', 'reason') ?? '').includes(
          'ImagePullBackOff',
        );
      const log = await podThat(stage, [pull], waiting);
      return log('');
    },
  },
];
