import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { POD_PATH, podManifest, type RawClient, type RawWatch, withCluster } from './testing/raw-client.ts';

const revisionOf = async (client: RawClient) => (await client.get(POD_PATH)).body.metadata.resourceVersion as string;

async function take(watch: RawWatch, count: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let index = 0; index < count; index++) {
    const { type, object } = await watch.next();
    seen.push(`${type} ${object.metadata.name ?? ''}`.trim());
  }
  return seen;
}

describe('watching the simulated cluster', () => {
  it('shows what there is, then what happens, when no revision is given', () =>
    withCluster(async (client) => {
      await client.post(POD_PATH, podManifest('a'));
      const watch = await client.watch(`${POD_PATH}?watch=true`);
      await client.post(POD_PATH, podManifest('b'));
      await client.patch(`${POD_PATH}/a`, [{ op: 'add', path: '/metadata/labels/x', value: 'y' }]);
      await client.delete(`${POD_PATH}/a`);
      // A pod is marked as leaving before it goes, also when it goes at once.
      const seen = ['ADDED a', 'ADDED b', 'MODIFIED a', 'MODIFIED a', 'DELETED a'];
      assert.deepEqual(await take(watch, 5), seen);
      watch.close();
    }));

  it('goes on after a revision without losing or repeating anything', () =>
    withCluster(async (client) => {
      await client.post(POD_PATH, podManifest('a'));
      const revision = await revisionOf(client);
      await client.post(POD_PATH, podManifest('b'));
      const watch = await client.watch(`${POD_PATH}?watch=1&resourceVersion=${revision}`);
      await client.post(POD_PATH, podManifest('c'));
      assert.deepEqual(await take(watch, 2), ['ADDED b', 'ADDED c']);
      watch.close();
    }));

  it('adds what enters a selection and deletes what leaves it', () =>
    withCluster(async (client) => {
      const watch = await client.watch(`${POD_PATH}?watch=1&labelSelector=x=y`);
      await client.post(POD_PATH, podManifest('a'));
      await client.patch(`${POD_PATH}/a`, [{ op: 'add', path: '/metadata/labels/x', value: 'y' }]);
      await client.patch(`${POD_PATH}/a`, [{ op: 'remove', path: '/metadata/labels/x' }]);
      const [added, deleted] = [await watch.next(), await watch.next()];
      assert.deepEqual([added.type, deleted.type], ['ADDED', 'DELETED']);
      assert.equal(deleted.object.metadata.labels.x, 'y');
      assert.ok(Number(deleted.object.metadata.resourceVersion) > Number(added.object.metadata.resourceVersion));
      watch.close();
    }));

  it('says in the stream that a revision is too old', () =>
    withCluster(async (client, cluster) => {
      const revision = await revisionOf(client);
      await client.post(POD_PATH, podManifest('a'));
      cluster.compact();
      const watch = await client.watch(`${POD_PATH}?watch=1&resourceVersion=${revision}`);
      const { type, object } = await watch.next();
      assert.deepEqual([type, object.code, object.reason], ['ERROR', 410, 'Expired']);
      assert.equal((await watch.ended()).how, 'ended');
    }));

  it('says so by the status where that is wanted, and tells running watches too', () =>
    withCluster(
      async (client, cluster) => {
        const revision = await revisionOf(client);
        const running = await client.watch(`${POD_PATH}?watch=1&resourceVersion=${revision}`);
        await client.post(POD_PATH, podManifest('a'));
        assert.deepEqual(await take(running, 1), ['ADDED a']);
        cluster.compact();
        const late = await client.get(`${POD_PATH}?watch=1&resourceVersion=${revision}`);
        assert.deepEqual([late.status, late.body.reason], [410, 'Expired']);
        assert.equal(
          cluster.expireWatches(({ resource }) => resource === 'pods'),
          1,
        );
        assert.equal((await running.next()).object.code, 410);
      },
      { expiredWatch: 'status' },
    ));

  it('waits for a revision that has not been yet, and lists none', () =>
    withCluster(async (client, cluster) => {
      const ahead = cluster.store.revision() + 1;
      const listed = await client.get(`${POD_PATH}?resourceVersion=${ahead}`);
      assert.deepEqual([listed.status, listed.body.details.causes[0].reason], [504, 'ResourceVersionTooLarge']);
      const watch = await client.watch(`${POD_PATH}?watch=1&resourceVersion=${ahead}`);
      await client.post(POD_PATH, podManifest('a'));
      await client.post(POD_PATH, podManifest('b'));
      assert.deepEqual(await take(watch, 1), ['ADDED b']);
      watch.close();
    }));

  it('sends bookmarks to who allows them, newer than any event before', () =>
    withCluster(
      async (client, cluster) => {
        const watch = await client.watch(`${POD_PATH}?watch=1&allowWatchBookmarks=true`);
        const { type, object } = await watch.next();
        assert.deepEqual(
          [type, object.kind, object.metadata.resourceVersion],
          ['BOOKMARK', 'Pod', String(cluster.store.revision())],
        );
        watch.close();
      },
      { bookmarkMilliseconds: 20 },
    ));

  it('marks the end of the initial events for who asks for them', () =>
    withCluster(async (client) => {
      await client.post(POD_PATH, podManifest('a'));
      const watch = await client.watch(
        `${POD_PATH}?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      );
      assert.equal((await watch.next()).type, 'ADDED');
      assert.equal((await watch.next()).object.metadata.annotations['k8s.io/initial-events-end'], 'true');
      watch.close();
    }));

  it('ends in good order after timeoutSeconds and forgets who went away', () =>
    withCluster(async (client, cluster) => {
      const watch = await client.watch(`${POD_PATH}?watch=1&timeoutSeconds=1`);
      assert.equal(cluster.openWatches(), 1);
      assert.equal((await watch.ended()).how, 'ended');
      const other = await client.watch(`${POD_PATH}?watch=1`);
      other.close();
      while (cluster.openWatches() > 0) await sleep(5);
    }));

  it('can be cut in the middle of a line, now or after some events', () =>
    withCluster(async (client, cluster) => {
      const first = await client.watch(`${POD_PATH}?watch=1`);
      assert.equal(cluster.cutWatches(), 1);
      const { how, rest } = await first.ended();
      assert.equal(how, 'broken');
      assert.notEqual(rest, '');
      cluster.faults.add({
        when: ({ verb }) => verb === 'watch',
        fault: { kind: 'cut-watch', afterEvents: 1 },
        times: 1,
      });
      const second = await client.watch(`${POD_PATH}?watch=1`);
      await client.post(POD_PATH, podManifest('a'));
      await client.post(POD_PATH, podManifest('b'));
      assert.deepEqual(await take(second, 1), ['ADDED a']);
      const cut = await second.ended();
      assert.equal(cut.how, 'broken');
      assert.match(cut.rest, /^\{"type":"ADDED"/);
      assert.throws(() => JSON.parse(cut.rest));
    }));

  it('watches tables, with the columns once', () =>
    withCluster(async (client) => {
      const watch = await client.watch(`${POD_PATH}?watch=1`, {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      });
      await client.post(POD_PATH, podManifest('a'));
      await client.post(POD_PATH, podManifest('b'));
      const [one, two] = [await watch.next(), await watch.next()];
      assert.deepEqual([one.object.rows[0].cells[0], two.object.rows[0].cells[0]], ['a', 'b']);
      assert.deepEqual([one.object.columnDefinitions.length > 3, two.object.columnDefinitions], [true, null]);
      watch.close();
    }));
});
