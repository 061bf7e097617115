import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { projectNode } from '@hephaisto/core/facts/project-node';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { type WatchedPod, watchPod } from '@hephaisto/core/signal/watched';
import fc from 'fast-check';
import { createHealthTally, type HealthCounts } from './health-tally.ts';

interface Shape {
  readonly uid: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly controller?: string;
  readonly createdAt?: string;
  readonly deleting?: boolean;
  readonly namespace?: string;
}

function pod({ uid, phase = 'Running', ready = true, controller, ...rest }: Shape): WatchedPod {
  return watchPod(
    projectPod({
      metadata: {
        uid,
        name: uid,
        namespace: rest.namespace ?? 'shop',
        creationTimestamp: rest.createdAt ?? '2026-01-01T00:00:00Z',
        ...(rest.deleting === true ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
        ownerReferences:
          controller === undefined
            ? []
            : [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: controller, uid: controller, controller: true }],
      },
      status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
    }),
  );
}

function node(uid: string, ready: boolean) {
  return projectNode({
    metadata: { uid, name: uid },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
}

function countsOf(...pods: readonly Shape[]): HealthCounts {
  const tally = createHealthTally();
  for (const each of pods) tally.pod(pod(each));
  return tally.counts();
}

const EVICTED = { phase: 'Failed', ready: false, controller: 'set' };

describe('counting the health of a cluster', () => {
  it('a pod that its controller has replaced after an eviction counts neither as a pod nor as unready', () => {
    const leftovers = Array.from({ length: 30 }, (_, n) => ({ uid: `evicted-${n}`, ...EVICTED }));
    const after = { uid: 'next', controller: 'set', createdAt: '2026-01-01T00:00:05Z' };
    assert.deepEqual(countsOf(...leftovers, after), { pods: 1, unreadyPods: 0, nodes: 0, unreadyNodes: 0 });
  });

  it('a failed pod that nothing has replaced counts as unready', () => {
    const alone = [
      { uid: 'a', ...EVICTED },
      { uid: 'b', phase: 'Failed', ready: false },
    ];
    assert.deepEqual(countsOf(...alone), { pods: 2, unreadyPods: 2, nodes: 0, unreadyNodes: 0 });
  });

  it('of a job that failed again and again only the last pod counts', () => {
    const tries = [0, 1, 2].map((n) => ({ uid: `try-${n}`, ...EVICTED, createdAt: `2026-01-01T00:00:0${n}Z` }));
    assert.equal(countsOf(...tries).unreadyPods, 1);
  });

  it('pods that succeeded or are being deleted say nothing about health', () => {
    const over = [
      { uid: 'a', phase: 'Succeeded', ready: false },
      { uid: 'b', ready: false, deleting: true },
    ];
    assert.deepEqual(countsOf(...over), { pods: 0, unreadyPods: 0, nodes: 0, unreadyNodes: 0 });
  });

  it('a list replaces what was counted of its namespace and leaves the others alone', () => {
    const tally = createHealthTally();
    tally.pod(pod({ uid: 'a', ready: false }));
    tally.pod(pod({ uid: 'b', namespace: 'ops', ready: false }));
    tally.podsReplaced('shop', [pod({ uid: 'c' })]);
    assert.deepEqual([tally.counts().pods, tally.counts().unreadyPods], [2, 1]);
    tally.podsReplaced('', []);
    tally.nodesReplaced([node('n1', true), node('n2', false)]);
    assert.deepEqual(tally.counts(), { pods: 0, unreadyPods: 0, nodes: 2, unreadyNodes: 1 });
  });

  it('counts after any changes are those of the pods that are there', () => {
    const change = fc.record({
      uid: fc.constantFrom('a', 'b', 'c', 'd'),
      gone: fc.boolean(),
      phase: fc.constantFrom('Running', 'Failed', 'Succeeded', 'Pending'),
      ready: fc.boolean(),
      deleting: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const tally = createHealthTally();
        const there = new Map<string, WatchedPod>();
        for (const { gone, ...shape } of changes) {
          if (gone) tally.podGone(shape.uid);
          else tally.pod(pod(shape));
          if (gone) there.delete(shape.uid);
          else there.set(shape.uid, pod(shape));
        }
        const fresh = createHealthTally();
        fresh.podsReplaced('', [...there.values()]);
        assert.deepEqual(tally.counts(), fresh.counts());
      }),
    );
  });
});
