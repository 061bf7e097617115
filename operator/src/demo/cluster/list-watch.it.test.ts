import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { GroupVersionResource } from './object.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { rawClient, withCluster } from './testing/raw-client.ts';

const MAPS: GroupVersionResource = { group: '', version: 'v1', resource: 'configmaps' };
const PATH = '/api/v1/namespaces/shop/configmaps';
const SELECTOR = 'labelSelector=side=left';

interface Step {
  readonly name: string;
  readonly what: 'put' | 'remove';
  readonly side: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  what: fc.constantFrom('put' as const, 'put' as const, 'remove' as const),
  side: fc.constantFrom('left', 'right'),
});

function takeAll(cluster: SimulatedCluster, steps: readonly Step[]): void {
  for (const each of steps) take(cluster, each);
}

function take({ store }: SimulatedCluster, { name, what, side }: Step): void {
  const there = store.get(MAPS, 'shop', name) !== undefined;
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', labels: { side } },
    data: { count: String(store.revision()) },
  };
  if (what === 'remove') {
    if (there) store.remove(MAPS, 'shop', name);
  } else if (there) store.update(MAPS, object);
  else store.create(MAPS, object);
}

it(
  'whoever lists and then watches from there ends up with what is there, also through a selector',
  { timeout: 60_000 },
  () =>
    withCluster(async (client, cluster) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 12 }),
          fc.array(step, { maxLength: 25 }),
          async (before, after) => {
            takeAll(cluster, before);
            const { body } = await client.get(`${PATH}?${SELECTOR}`);
            const known = new Map<string, string>(
              body.items.map(({ metadata }: { metadata: { name: string; resourceVersion: string } }) => [
                metadata.name,
                metadata.resourceVersion,
              ]),
            );
            // Half of what follows is history by the time the watch starts, half happens under its eyes.
            const half = Math.floor(after.length / 2);
            takeAll(cluster, after.slice(0, half));
            const reader = rawClient(cluster);
            const watch = await reader.watch(
              `${PATH}?watch=1&${SELECTOR}&resourceVersion=${body.metadata.resourceVersion}`,
            );
            takeAll(cluster, after.slice(half));
            take(cluster, { name: 'end', what: 'put', side: 'left' });
            for (let over = false; !over; ) {
              const { type, object } = await watch.next();
              const { name, resourceVersion } = object.metadata;
              if (type === 'ADDED') assert.ok(!known.has(name), 'added twice');
              else assert.ok(known.has(name), `${type} of what was never added`);
              if (type === 'DELETED') known.delete(name);
              else known.set(name, resourceVersion);
              over = name === 'end';
            }
            watch.close();
            reader.close();
            const now = await client.get(`${PATH}?${SELECTOR}`);
            assert.deepEqual(
              [...known].sort(),
              now.body.items.map(({ metadata }: { metadata: { name: string; resourceVersion: string } }) => [
                metadata.name,
                metadata.resourceVersion,
              ]),
            );
            cluster.store.remove(MAPS, 'shop', 'end');
          },
        ),
        { numRuns: 40 },
      );
    }),
);
