import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { findCondition } from './shape/conditions.ts';
import type { Pod } from './shape/pod.ts';
import { isReady } from './shape/pod-facts.ts';
import { DEPLOYMENTS, ENDPOINT_SLICES, EVENTS, JOBS, NODES, PODS, SERVICES } from './shape/resources.ts';
import type { Deployment, Job } from './shape/workloads.ts';
import { aDeployment, aNode, aTemplate } from './testing/samples.ts';
import { createWorld, type World, type WorldOptions } from './testing/world.ts';

function world(test: TestContext, options?: WorldOptions): World {
  const created = createWorld(options);
  test.after(() => {
    created.close();
    assert.deepEqual(created.errors, []);
  });
  return created;
}

function deploymentOf({ store }: World): Deployment {
  const found = store.get(DEPLOYMENTS, 'shop', 'web');
  assert.ok(found);
  return found as Deployment;
}

function change(target: World, spec: Partial<Deployment['spec']>): void {
  const deployment = deploymentOf(target);
  const { resourceVersion: _, ...metadata } = deployment.metadata;
  target.store.update(DEPLOYMENTS, { ...deployment, metadata, spec: { ...deployment.spec, ...spec } });
}

function progressing(target: World): string | undefined {
  return findCondition(deploymentOf(target).status?.conditions ?? [], 'Progressing')?.reason;
}

const imageOf = (pod: Pod): unknown => pod.spec.containers[0]?.image;

describe('a deployment', () => {
  it('rolls out its first revision and says so as a control plane does', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment());
    target.pace.advance(5_000);

    const [replicaSet] = target.replicaSets();
    const name = replicaSet?.metadata.name ?? '';
    assert.match(name, /^web-[bcdfghjklmnpqrstvwxz2456789]{6,10}$/);
    assert.deepEqual(target.events('ScalingReplicaSet'), [`Scaled up replica set ${name} from 0 to 3`]);
    assert.equal(target.pods().length, 3);
    for (const pod of target.pods()) assert.match(pod.metadata.name, new RegExp(`^${name}-[a-z0-9]{5}$`));
    assert.deepEqual(new Set(target.pods().map((pod) => pod.spec.nodeName)).size, 3);

    const { metadata, status } = deploymentOf(target);
    assert.equal(metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
    assert.deepEqual(
      { ...status, conditions: undefined },
      {
        observedGeneration: 1,
        replicas: 3,
        updatedReplicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        terminatingReplicas: 0,
        conditions: undefined,
      },
    );
    assert.deepEqual(
      (status?.conditions ?? []).map(({ type, status: value, reason, message }) => [type, value, reason, message]),
      [
        ['Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'],
        ['Progressing', 'True', 'NewReplicaSetAvailable', `ReplicaSet "${name}" has successfully progressed.`],
      ],
    );
  });

  it('replaces pods within surge and unavailability, and keeps the old revision', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment({ replicas: 4 }));
    target.pace.advance(5_000);
    change(target, { template: aTemplate('web:2') });
    for (let step = 0; step < 100; step++) {
      target.pace.advance(100);
      const active = target.pods().filter((pod) => pod.metadata.deletionTimestamp === undefined);
      assert.ok(active.length <= 5, `at most one pod of surge, found ${active.length}`);
      assert.ok(active.filter(isReady).length >= 3, 'at most one pod unavailable');
    }
    assert.deepEqual(target.pods().map(imageOf), ['web:2', 'web:2', 'web:2', 'web:2']);
    const revisions = target.replicaSets().map((replicaSet) => ({
      revision: replicaSet.metadata.annotations?.['deployment.kubernetes.io/revision'],
      replicas: replicaSet.spec.replicas,
    }));
    assert.deepEqual(
      revisions.sort((a, b) => Number(a.revision) - Number(b.revision)),
      [
        { revision: '1', replicas: 0 },
        { revision: '2', replicas: 4 },
      ],
    );
  });

  it('stalls on a revision that never gets ready, reports the deadline, and recovers by a rollback to the old ReplicaSet', (test) => {
    const target = world(test, { fate: (pod) => (imageOf(pod) === 'web:2' ? 'never-ready' : 'ready') });
    target.store.create(DEPLOYMENTS, aDeployment({ progressDeadlineSeconds: 30 }));
    target.pace.advance(5_000);
    const first = target.replicaSets()[0]?.metadata.name ?? '';
    change(target, { template: aTemplate('web:2') });
    target.pace.advance(10_000);
    assert.equal(progressing(target), 'ReplicaSetUpdated');
    assert.equal(target.pods().filter(isReady).length, 3, 'the old pods go on serving');
    target.pace.advance(40_000);
    assert.equal(progressing(target), 'ProgressDeadlineExceeded');

    change(target, { template: aTemplate('web:1') });
    target.pace.advance(10_000);
    assert.equal(progressing(target), 'NewReplicaSetAvailable');
    assert.deepEqual(target.pods().map(imageOf), ['web:1', 'web:1', 'web:1']);
    const reused = target.replicaSets().find(({ metadata }) => metadata.name === first);
    assert.equal(reused?.metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
    assert.equal(reused?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
    assert.equal(deploymentOf(target).metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
    assert.equal(target.replicaSets().length, 2);
  });

  it('scales without a new revision', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment({ replicas: 4 }));
    target.pace.advance(5_000);
    const name = target.replicaSets()[0]?.metadata.name;
    change(target, { replicas: 6 });
    target.pace.advance(5_000);
    change(target, { replicas: 2 });
    target.pace.advance(5_000);
    assert.deepEqual(target.events('ScalingReplicaSet'), [
      `Scaled up replica set ${name} from 0 to 4`,
      `Scaled up replica set ${name} from 4 to 6`,
      `Scaled down replica set ${name} from 6 to 2`,
    ]);
    assert.equal(target.pods().length, 2);
    assert.equal(progressing(target), 'NewReplicaSetAvailable');
  });

  it('with strategy Recreate starts no new pod before the last old one is gone', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment({ strategy: { type: 'Recreate' } }));
    target.pace.advance(5_000);
    change(target, { template: aTemplate('web:2') });
    for (let step = 0; step < 50; step++) {
      target.pace.advance(100);
      assert.equal(new Set(target.pods().map(imageOf)).size <= 1, true, 'never both revisions at once');
    }
    assert.deepEqual(target.pods().map(imageOf), ['web:2', 'web:2', 'web:2']);
  });

  it('keeps only as many old revisions as it is told to', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment({ revisionHistoryLimit: 1 }));
    for (const image of ['web:1', 'web:2', 'web:3', 'web:4']) {
      change(target, { template: aTemplate(image) });
      target.pace.advance(20_000);
    }
    const kept = target
      .replicaSets()
      .map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision']);
    assert.deepEqual(kept.sort(), ['3', '4']);
  });

  it('replaces a pod that somebody deletes, and takes its pods along when it is deleted itself', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment());
    target.pace.advance(5_000);
    const victim = target.pods()[0]?.metadata.name ?? '';
    target.store.remove(PODS, 'shop', victim);
    target.pace.advance(5_000);
    assert.equal(target.pods().filter(isReady).length, 3);
    assert.ok(!target.pods().some((pod) => pod.metadata.name === victim));
    target.store.remove(DEPLOYMENTS, 'shop', 'web');
    target.pace.advance(5_000);
    assert.deepEqual([target.replicaSets().length, target.pods().length], [0, 0]);
  });

  it('leaves its ReplicaSet and pods behind when it is deleted as an orphaning', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment());
    target.pace.advance(5_000);
    target.store.remove(DEPLOYMENTS, 'shop', 'web', { propagation: 'Orphan' });
    target.pace.advance(5_000);
    assert.deepEqual([target.replicaSets().length, target.pods().length], [1, 3]);
  });
});

describe('the scheduler', () => {
  it('says why no node takes a pod, and places it when a node can', (test) => {
    const target = world(test, { nodes: [aNode('small-a', { memory: '1Gi' }), aNode('small-b', { memory: '1Gi' })] });
    const template = aTemplate('web:1', { memory: '2Gi' });
    target.store.create(DEPLOYMENTS, aDeployment({ replicas: 1, template }));
    target.pace.advance(2_000);
    const message =
      '0/2 nodes are available: 2 Insufficient memory. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';
    assert.deepEqual(target.events('FailedScheduling'), [message]);
    const condition = findCondition(target.pods()[0]?.status?.conditions ?? [], 'PodScheduled');
    assert.deepEqual([condition?.status, condition?.reason, condition?.message], ['False', 'Unschedulable', message]);

    target.store.create(NODES, aNode('large', { memory: '4Gi' }));
    target.pace.advance(15_000);
    const [pod] = target.pods();
    assert.equal(pod?.spec.nodeName, 'large');
    assert.deepEqual(target.events('Scheduled'), [`Successfully assigned shop/${pod?.metadata.name} to large`]);
    const recorded = target.store.list(EVENTS, 'shop').find((event) => event.reason === 'Scheduled');
    assert.deepEqual(
      [recorded?.reportingComponent, recorded?.firstTimestamp, typeof recorded?.eventTime],
      ['default-scheduler', null, 'string'],
    );
  });

  it('keeps new pods off a cordoned node and leaves the old ones there', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment({ replicas: 6 }));
    target.pace.advance(5_000);
    const node = target.store.get(NODES, '', 'node-a');
    assert.ok(node);
    const { resourceVersion: _, ...metadata } = node.metadata;
    target.store.update(NODES, { ...node, metadata, spec: { unschedulable: true } });
    target.pace.advance(1_000);
    const onCordoned = (): readonly string[] =>
      target.pods().flatMap((pod) => (pod.spec.nodeName === 'node-a' ? [pod.metadata.name] : []));
    const before = onCordoned();
    change(target, { replicas: 12 });
    target.pace.advance(5_000);
    assert.equal(target.pods().filter(isReady).length, 12);
    assert.deepEqual(onCordoned(), before);
    const cordoned = target.store.get(NODES, '', 'node-a') as { spec?: { taints?: readonly { key: string }[] } };
    assert.deepEqual(
      cordoned.spec?.taints?.map(({ key }) => key),
      ['node.kubernetes.io/unschedulable'],
    );
  });
});

function aJob(spec: Partial<Job['spec']>): Job {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'work:1' }] } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'sum', namespace: 'shop' },
    spec: { template, ...spec },
  };
}

function jobOf({ store }: World): Job['status'] {
  return (store.get(JOBS, 'shop', 'sum') as Job | undefined)?.status;
}

function reasons(target: World): readonly unknown[] {
  return (jobOf(target)?.conditions ?? []).map(({ type, reason }) => [type, reason]);
}

describe('a job', () => {
  it('runs its completions in parallel and completes', (test) => {
    const target = world(test, { fate: () => 'succeeded' });
    target.store.create(JOBS, aJob({ completions: 5, parallelism: 2 }));
    target.pace.advance(100);
    assert.equal(target.pods().length, 2);
    target.pace.advance(10_000);
    assert.deepEqual(reasons(target), [
      ['SuccessCriteriaMet', 'CompletionsReached'],
      ['Complete', 'CompletionsReached'],
    ]);
    assert.deepEqual([jobOf(target)?.succeeded, jobOf(target)?.active], [5, undefined]);
    assert.deepEqual(target.events('Completed'), ['Job completed']);
  });

  it('tries again with growing delays and fails once past its limit', (test) => {
    const target = world(test, { fate: () => 'failed' });
    target.store.create(JOBS, aJob({ backoffLimit: 2 }));
    const born: number[] = [];
    target.store.subscribe(PODS, ({ type }) => {
      if (type === 'ADDED') born.push(target.pace.now().getTime());
    });
    target.pace.advance(120_000);
    const gaps = born.slice(1).map((at, index) => Math.round((at - (born[index] ?? 0)) / 1000));
    assert.deepEqual(gaps, [11, 21], 'one second to fail, then ten and twenty seconds of waiting');
    assert.equal(jobOf(target)?.failed, 3);
    assert.deepEqual(reasons(target), [
      ['FailureTarget', 'BackoffLimitExceeded'],
      ['Failed', 'BackoffLimitExceeded'],
    ]);
    assert.deepEqual(target.events('BackoffLimitExceeded'), ['Job has reached the specified backoff limit']);
  });

  it('is ended by its deadline, and failed only when its pods are gone', (test) => {
    const target = world(test);
    target.store.create(JOBS, aJob({ activeDeadlineSeconds: 20 }));
    target.pace.advance(20_100);
    assert.deepEqual(reasons(target), [['FailureTarget', 'DeadlineExceeded']]);
    target.pace.advance(5_000);
    assert.deepEqual(reasons(target), [
      ['FailureTarget', 'DeadlineExceeded'],
      ['Failed', 'DeadlineExceeded'],
    ]);
    assert.deepEqual(target.events('DeadlineExceeded'), ['Job was active longer than specified deadline']);
    assert.deepEqual([target.pods().length, jobOf(target)?.failed], [0, 1]);
  });

  it('takes its pods along when it is deleted', (test) => {
    const target = world(test);
    target.store.create(JOBS, aJob({ parallelism: 2, completions: 2 }));
    target.pace.advance(3_000);
    assert.equal(target.pods().length, 2);
    target.store.remove(JOBS, 'shop', 'sum');
    target.pace.advance(3_000);
    assert.equal(target.pods().length, 0);
  });
});

describe('a node that falls silent', () => {
  it('is marked unknown, its pods not ready, and they move once no longer tolerated', (test) => {
    const target = world(test);
    target.store.create(DEPLOYMENTS, aDeployment());
    target.pace.advance(30_000);
    target.kubelet.silence('node-a');
    target.pace.advance(70_000);
    const node = target.store.get(NODES, '', 'node-a') as {
      status?: { conditions?: readonly { type: string; status: string; reason?: string }[] };
      spec?: { taints?: readonly { key: string; effect: string }[] };
    };
    const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual([ready?.status, ready?.reason], ['Unknown', 'NodeStatusUnknown']);
    assert.deepEqual(
      node.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`),
      ['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute'],
    );
    assert.deepEqual(target.events('NodeNotReady'), ['Node node-a status is now: NodeNotReady', 'Node is not ready']);
    assert.equal(target.pods().filter(isReady).length, 2);
    target.pace.advance(310_000);
    assert.equal(target.pods().filter((pod) => isReady(pod) && pod.spec.nodeName !== 'node-a').length, 3);
    assert.equal(target.events('TaintManagerEviction').length, 1);
  });

  it('does not trouble nodes that go on reporting', (test) => {
    const target = world(test);
    target.pace.advance(600_000);
    for (const node of target.store.list(NODES)) assert.deepEqual((node.spec as { taints?: unknown }).taints, []);
  });
});

describe('a service', () => {
  it('lists ready pods as ready, others as not, and none at all as null', (test) => {
    const target = world(test, { fate: (pod) => (imageOf(pod) === 'web:2' ? 'never-ready' : 'ready') });
    const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
    target.store.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { app: 'web' }, ports },
    });
    target.pace.advance(100);
    const slice = () => target.store.list(ENDPOINT_SLICES, 'shop')[0];
    assert.deepEqual([slice()?.endpoints, slice()?.ports], [null, null]);
    target.store.create(DEPLOYMENTS, aDeployment({ replicas: 2 }, 'web:2'));
    target.pace.advance(5_000);
    const ready = () =>
      ((slice()?.endpoints ?? []) as readonly { conditions: { ready: boolean } }[]).map(
        ({ conditions }) => conditions.ready,
      );
    assert.deepEqual(ready(), [false, false]);
    change(target, { template: aTemplate('web:1') });
    target.pace.advance(10_000);
    assert.deepEqual(ready(), [true, true]);
    assert.deepEqual(slice()?.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }]);
    assert.equal(target.store.list(ENDPOINT_SLICES, 'shop').length, 1);
  });
});

describe('two hundred pods', () => {
  it('come to rest: nothing is written and next to nothing is waited for', (test) => {
    const target = world(test, {
      nodes: ['a', 'b', 'c', 'd'].map((name) => aNode(`node-${name}`, { cpu: '64', memory: '256Gi' })),
    });
    target.store.create(DEPLOYMENTS, aDeployment({ replicas: 200 }));
    target.pace.advance(20_000);
    assert.equal(target.pods().filter(isReady).length, 200);
    const settled = target.store.revision();
    target.pace.advance(60_000);
    const leases = 4 * 6;
    assert.ok(target.store.revision() - settled <= leases, 'only node leases are renewed');
  });
});
