import { at, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import type { Watched, WatchOptions } from '../api.ts';
import { type ContractCase, pause, type Stage, whole } from '../case.ts';
import { normalise } from '../normalise.ts';
import { configMap, coreEvent, newerEvents, parkedPod, path } from '../objects.ts';

async function revisionOf({ operator, namespace }: Stage, resource = 'pods'): Promise<string> {
  return textAt((await operator.get(path(resource, namespace))).body, 'metadata', 'resourceVersion') ?? '';
}

function watchPath(stage: Stage, query: string, resource = 'pods'): string {
  return `${path(resource, stage.namespace)}?watch=true&${query}`;
}

/** Type and name of each event, and for whom it was what. */
function brief({ status, endedBy, lines }: Watched): unknown {
  return {
    status,
    endedBy,
    lines: lines.map((line) => {
      const type = textAt(line, 'type');
      if (type === 'ERROR') return normalise(line);
      if (type === 'BOOKMARK') return bookmark(line);
      return [type, textAt(line, 'object', 'metadata', 'name'), at(line, 'object', 'metadata', 'labels', 'mark') ?? ''];
    }),
  };
}

/** Whatever else stands in a bookmark is the empty form of its kind and means nothing. */
function bookmark(line: unknown): unknown {
  const { kind, apiVersion, metadata } = (at(line, 'object') ?? {}) as Record<string, unknown>;
  return normalise({ type: at(line, 'type'), kind, apiVersion, metadata });
}

function all(watched: Watched): unknown {
  return normalise(watched);
}

async function mark({ admin, namespace }: Stage, name: string, value: string): Promise<void> {
  await admin.patch(path('pods', namespace, name), [{ op: 'add', path: '/metadata/labels/mark', value }]);
}

async function life(stage: Stage): Promise<void> {
  const { admin, namespace } = stage;
  await admin.post(path('pods', namespace), parkedPod('web'));
  await mark(stage, 'web', 'one');
  await mark(stage, 'web', 'two');
  await admin.delete(path('pods', namespace, 'web'), { gracePeriodSeconds: 0 });
}

async function watched(stage: Stage, query: string, options: WatchOptions = {}, resource = 'pods'): Promise<Watched> {
  return stage.operator.watch(watchPath(stage, query, resource), options);
}

export const WATCHING: readonly ContractCase[] = [
  {
    id: 'watch-life',
    title: 'a life from its beginning to its end, in order',
    run: async (stage) => {
      const from = await revisionOf(stage);
      return brief(await watched(stage, `resourceVersion=${from}`, { lines: 4, onOpen: () => life(stage) }));
    },
  },
  {
    id: 'watch-resume',
    title: 'who comes late with a revision misses nothing',
    run: async (stage) => {
      const from = await revisionOf(stage);
      await life(stage);
      const first = await watched(stage, `resourceVersion=${from}`, { lines: 2 });
      const seen = textAt(first.lines[1], 'object', 'metadata', 'resourceVersion') ?? '';
      return [brief(first), brief(await watched(stage, `resourceVersion=${seen}`, { lines: 2 }))];
    },
  },
  {
    id: 'watch-whole-events',
    title: 'the objects in a watch are whole',
    run: async (stage) => {
      const from = await revisionOf(stage);
      return all(
        await watched(stage, `resourceVersion=${from}`, {
          lines: 1,
          onOpen: () => stage.admin.post(path('pods', stage.namespace), parkedPod('web')),
        }),
      );
    },
  },
  {
    id: 'watch-without-revision',
    title: 'a watch from nowhere or from 0 begins with what is there',
    run: async (stage) => {
      for (const name of ['ant', 'bee']) await stage.admin.post(path('pods', stage.namespace), parkedPod(name));
      await pause(300);
      const more = { lines: 3, onOpen: () => stage.admin.post(path('pods', stage.namespace), parkedPod('cat')) };
      return [brief(await watched(stage, '', more)), brief(await watched(stage, 'resourceVersion=0', { lines: 3 }))];
    },
  },
  {
    id: 'watch-labels',
    title: 'what enters a selection is added, what leaves it is deleted',
    run: async (stage) => {
      const { admin, namespace } = stage;
      const from = await revisionOf(stage);
      await admin.post(path('pods', namespace), parkedPod('web'));
      await admin.post(path('pods', namespace), parkedPod('other'));
      await mark(stage, 'web', 'yes');
      await mark(stage, 'web', 'no');
      await mark(stage, 'web', 'yes');
      await admin.delete(path('pods', namespace, 'web'), { gracePeriodSeconds: 0 });
      return brief(await watched(stage, `resourceVersion=${from}&labelSelector=mark%3Dyes`, { lines: 4 }));
    },
  },
  {
    id: 'watch-fields',
    title: 'a watch of pods on nodes sees them when they are bound',
    run: async (stage) => {
      const { admin, namespace } = stage;
      const from = await revisionOf(stage);
      await admin.post(path('pods', namespace), parkedPod('web'));
      await admin.post(path('pods', namespace, 'web', 'binding'), {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'web' },
        target: { kind: 'Node', name: 'node-none' },
      });
      await admin.delete(path('pods', namespace, 'web'), { gracePeriodSeconds: 0 });
      return [
        brief(await watched(stage, `resourceVersion=${from}&fieldSelector=spec.nodeName%21%3D`, { lines: 2 })),
        brief(await watched(stage, `resourceVersion=${from}&fieldSelector=metadata.name%3Dother`, { withinMs: 600 })),
      ];
    },
  },
  {
    id: 'watch-one-config-map',
    title: 'the operator watches the one ConfigMap it may',
    run: async ({ operator, admin }) => {
      const where = path('configmaps', 'hephaisto', 'hephaisto-switches');
      const list = `${path('configmaps', 'hephaisto')}?fieldSelector=metadata.name%3Dhephaisto-switches`;
      const from = textAt((await operator.get(list)).body, 'metadata', 'resourceVersion') ?? '';
      const seen = await operator.watch(`${list}&watch=true&resourceVersion=${from}`, {
        lines: 1,
        onOpen: () => admin.patch(where, [{ op: 'add', path: '/data/note', value: 'x' }]),
      });
      await admin.patch(where, [{ op: 'remove', path: '/data/note' }]);
      return [all(seen), whole(await operator.get(`${path('configmaps', 'hephaisto')}?watch=true`))];
    },
  },
  {
    id: 'watch-timeout',
    title: 'a watch ends in good order when its time is up',
    run: async (stage) => {
      const from = await revisionOf(stage);
      return brief(await watched(stage, `resourceVersion=${from}&timeoutSeconds=1`, { withinMs: 5000 }));
    },
  },
  {
    id: 'watch-bookmark-at-end',
    title: 'bookmarks come with a revision and nothing else, at the latest before the end',
    run: async (stage) => {
      const from = await revisionOf(stage);
      await stage.admin.post(path('pods', stage.namespace), parkedPod('web'));
      const seen = await watched(stage, `resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=4`, {
        withinMs: 8000,
      });
      const bookmarks = seen.lines.filter((line) => textAt(line, 'type') === 'BOOKMARK');
      return { endedBy: seen.endedBy, some: bookmarks.length > 0, first: bookmark(bookmarks[0]) };
    },
  },
  {
    id: 'watch-initial-events',
    title: 'a list as a stream ends with a bookmark that says so',
    run: async (stage) => {
      for (const name of ['ant', 'bee']) await stage.admin.post(path('pods', stage.namespace), parkedPod(name));
      const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const refused = await stage.operator.get(watchPath(stage, 'sendInitialEvents=true'));
      const unmarked = await stage.operator.get(watchPath(stage, 'sendInitialEvents=true&resourceVersionMatch=Exact'));
      return [brief(await watched(stage, query, { lines: 3 })), whole(refused), whole(unmarked)];
    },
  },
  {
    id: 'watch-bad-revision',
    title: 'a revision that is none is refused before the stream begins',
    run: async (stage) => whole(await stage.operator.get(watchPath(stage, 'resourceVersion=abc'))),
  },
  {
    id: 'watch-everywhere',
    title: 'a watch over all namespaces',
    run: async (stage) => {
      const from = textAt((await stage.operator.get(path('pods'))).body, 'metadata', 'resourceVersion') ?? '';
      const query = `watch=true&resourceVersion=${from}&labelSelector=only%3D${stage.namespace}`;
      return brief(
        await stage.operator.watch(`${path('pods')}?${query}`, {
          lines: 1,
          onOpen: () =>
            stage.admin.post(path('pods', stage.namespace), parkedPod('web', { labels: { only: stage.namespace } })),
        }),
      );
    },
  },
  {
    id: 'watch-each-kind',
    title: 'each kind that the product watches can be watched',
    run: async ({ operator }) => {
      const seen: Record<string, unknown> = {};
      for (const kind of [
        'pods',
        'events',
        'nodes',
        'jobs',
        'deployments',
        'replicasets',
        'statefulsets',
        'daemonsets',
        'services',
        'namespaces',
        'endpointslices',
      ]) {
        const from = textAt((await operator.get(path(kind))).body, 'metadata', 'resourceVersion') ?? '';
        const { status } = await operator.watch(`${path(kind)}?watch=true&resourceVersion=${from}`, { withinMs: 150 });
        seen[kind] = status;
      }
      return seen;
    },
  },
  {
    id: 'watch-events-both-ways',
    title: 'an event posted to one group is seen in a watch of the other',
    run: async (stage) => {
      const { operator, admin, namespace } = stage;
      const from = await revisionOf(stage, 'events');
      return all(
        await operator.watch(`${newerEvents(namespace)}?watch=true&resourceVersion=${from}`, {
          lines: 1,
          onOpen: () => admin.post(path('events', namespace), coreEvent('one', namespace)),
        }),
      );
    },
  },
  {
    id: 'watch-same-twice',
    title: 'a write that changes nothing is no event',
    run: async (stage) => {
      const { admin, namespace } = stage;
      await admin.post(path('configmaps', namespace), configMap('c'));
      const from = textAt((await admin.get(path('configmaps', namespace))).body, 'metadata', 'resourceVersion') ?? '';
      const replace = (value: string) =>
        admin.patch(path('configmaps', namespace, 'c'), [{ op: 'replace', path: '/data/mode', value }]);
      const seen = await admin.watch(`${path('configmaps', namespace)}?watch=true&resourceVersion=${from}`, {
        withinMs: 1000,
        onOpen: async () => {
          await replace('observe');
          await replace('auto');
          await replace('auto');
        },
      });
      return seen.lines.map((line) => [textAt(line, 'type'), at(line, 'object', 'data', 'mode')]);
    },
  },
  {
    id: 'watch-rendered',
    title: 'a watch as rows of a table, and as metadata alone',
    run: async (stage) => {
      const from = await revisionOf(stage);
      await stage.admin.post(path('pods', stage.namespace), parkedPod('web'));
      await mark(stage, 'web', 'one');
      const as = (form: string) => `application/json;as=${form};v=v1;g=meta.k8s.io,application/json`;
      const metadata = await watched(stage, `resourceVersion=${from}`, {
        lines: 1,
        accept: as('PartialObjectMetadata'),
      });
      const table = await watched(stage, `resourceVersion=${from}`, { lines: 2, accept: as('Table') });
      return {
        metadata: all(metadata),
        table: table.lines.map((line) => [
          textAt(line, 'type'),
          at(line, 'object', 'kind'),
          at(line, 'object', 'rows', 0, 'object', 'kind'),
          at(line, 'object', 'columnDefinitions') === null || at(line, 'object', 'columnDefinitions') === undefined
            ? 'no columns'
            : 'columns',
        ]),
      };
    },
  },
  {
    id: 'gone-after-compaction',
    title: 'a page, a list and a watch from before all memory are 410',
    exclusive: true,
    run: async (stage) => {
      const { admin, operator, namespace } = stage;
      for (const name of ['ant', 'bee', 'cat']) await admin.post(path('configmaps', namespace), configMap(name));
      const base = `${path('configmaps', namespace)}?limit=1`;
      const first = await admin.get(base);
      const token = encodeURIComponent(textAt(first.body, 'metadata', 'continue') ?? '');
      const revision = textAt(first.body, 'metadata', 'resourceVersion') ?? '';
      await admin.post(path('configmaps', namespace), configMap('dog'));
      await stage.compact();
      await pause(500);
      const late = await admin.get(`${base}&continue=${token}`);
      const exact = await admin.get(
        `${path('configmaps', namespace)}?resourceVersion=${revision}&resourceVersionMatch=Exact`,
      );
      return {
        late: whole(late),
        lateStart: textAt(late.body, 'metadata', 'continue') === undefined ? 'none' : 'a token for the rest',
        exact: whole(exact),
        watch: brief(await operator.watch(`${path('pods')}?watch=true&resourceVersion=1`, { lines: 1 })),
        fresh: (await operator.get(path('pods', namespace))).status,
      };
    },
  },
];
