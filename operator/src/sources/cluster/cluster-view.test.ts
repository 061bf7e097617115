import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerStatusFact } from '@hephaisto/core/facts/facts';
import { projectWorkload } from '@hephaisto/core/facts/project-workload';
import type { WatchedDeployment } from '@hephaisto/core/signal/detect-workload';
import { type WatchedPodSet, watchPodSet } from '@hephaisto/core/signal/pod-set-rollout';
import type { Holds } from '@hephaisto/core/signal/symptom';
import { createTracker } from '@hephaisto/core/signal/tracker';
import type { WatchedPod } from '@hephaisto/core/signal/watched';
import type { Sighting } from '../../flow/signal-log/sighting.ts';
import { createClusterView } from './cluster-view.ts';
import { createLedger } from './ledger.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const HOLDS: Holds = {
  firstCrash: MINUTE,
  rolloutCrash: 45 * SECOND,
  imagePull: MINUTE,
  unschedulable: MINUTE,
  config: 5 * SECOND,
  notReady: 2 * MINUTE,
  notReadyAlone: 10 * MINUTE,
  replicas: 10 * MINUTE,
  node: 10 * SECOND,
  cordonedNode: 30 * MINUTE,
};

const CONTROLLER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-b', uid: 'set-b', controller: true };

const WEB: WatchedDeployment = {
  uid: 'web',
  namespace: 'shop',
  name: 'web',
  generation: 2,
  observedGeneration: 2,
  replicas: 2,
  updated: 2,
  total: 2,
  ready: 2,
  available: 2,
  revision: 2,
  conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }],
  restartedAt: undefined,
};
const ROLLING: Partial<WatchedDeployment> = {
  updated: 1,
  total: 3,
  conditions: [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }],
};

/** A watched Deployment `web` with one pod, and a clock that the test moves. */
function watchedWeb(controller: WatchedPod['controller'] = CONTROLLER) {
  let nowMs = 1_000_000;
  const sightings: Sighting[] = [];
  const ledger = createLedger({
    scope: { cluster: 'c', ownNamespaces: [] },
    tracker: createTracker({
      holds: HOLDS,
      healMs: 2 * MINUTE,
      repeatMs: 60 * MINUTE,
      repeatChangedMs: 30 * SECOND,
    }),
    nowMs: () => nowMs,
    noteEveryMs: 0,
    onSighting: (sighting) => void sightings.push(sighting),
  });
  const view = createClusterView({
    ledger,
    nowMs: () => nowMs,
    warningMs: MINUTE,
    oldWarningMs: 10 * MINUTE,
    healMs: 2 * MINUTE,
  });
  view.replicaSet({
    uid: 'set-b',
    namespace: 'shop',
    name: 'web-b',
    replicas: 2,
    controller: { ...CONTROLLER, kind: 'Deployment', name: 'web', uid: 'web' },
  });
  const pod = (ready: boolean, status: Partial<ContainerStatusFact>): void => {
    const watched: WatchedPod = {
      uid: 'pod',
      namespace: 'shop',
      name: 'web-b-1',
      controller,
      templateHash: 'b',
      nodeName: 'n1',
      phase: 'Running',
      statusReason: undefined,
      statusMessage: undefined,
      deleting: false,
      createdAt: new Date(0),
      ready,
      unreadySince: undefined,
      unscheduled: undefined,
      requests: {},
      containers: [{ name: 'app', init: false, ready, started: ready, restartCount: 0, ...status }],
    };
    view.pod(watched);
  };
  const found: string[] = [];
  const keys = new Set<string>();
  const take = (): void => {
    for (const { observation, settled } of sightings.splice(0)) {
      found.push(settled === undefined ? `${observation.kind} ${observation.status}` : observation.reason);
      if (settled === undefined) keys.add(observation.externalKey);
    }
  };
  return {
    deployment: (over: Partial<WatchedDeployment> = {}) => view.deployment({ ...WEB, ...over }),
    statefulSet: (set: WatchedPodSet) => view.podSet('statefulsets', set),
    daemonSet: (set: WatchedPodSet) => view.podSet('daemonsets', set),
    runs: (restartCount: number) => pod(true, { restartCount, running: { startedAt: new Date(nowMs) } }),
    dies: (restartCount: number) => pod(false, { restartCount, terminated: { reason: 'Error', exitCode: 1 } }),
    backsOff: (restartCount: number) =>
      pod(false, {
        restartCount,
        waiting: { reason: 'CrashLoopBackOff' },
        lastTerminated: { reason: 'Error', exitCode: 1 },
      }),
    /** Second by second, as the alarm of the watch would. */
    pass(milliseconds: number) {
      for (const end = nowMs + milliseconds; nowMs < end; ) {
        nowMs += SECOND;
        ledger.due();
      }
    },
    found(): readonly string[] {
      take();
      return found.splice(0);
    },
    episodes(): number {
      take();
      return keys.size;
    },
  };
}

const OF_STATEFUL_SET = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'db', controller: true };
const OF_DAEMON_SET = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'agent', controller: true };

/** As the API server writes them: a StatefulSet of three pods, a DaemonSet on three nodes. */
function podSet(kind: 'StatefulSet' | 'DaemonSet', written: Record<string, unknown>, strategy = {}): WatchedPodSet {
  const name = kind === 'StatefulSet' ? 'db' : 'agent';
  const metadata = { name, uid: name, namespace: 'shop', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' };
  const spec = kind === 'StatefulSet' ? { replicas: 3, updateStrategy: strategy } : { updateStrategy: strategy };
  return watchPodSet(projectWorkload({ kind, metadata, spec, status: { observedGeneration: 2, ...written } }, kind));
}
const stateful = (updatedReplicas: number, availableReplicas: number, strategy = {}) =>
  podSet(
    'StatefulSet',
    {
      replicas: 3,
      currentRevision: updatedReplicas === 3 && availableReplicas === 3 ? 'db-new' : 'db-old',
      updateRevision: 'db-new',
      updatedReplicas,
      readyReplicas: availableReplicas,
      availableReplicas,
    },
    strategy,
  );
const daemon = (updatedNumberScheduled: number, numberAvailable: number) =>
  podSet('DaemonSet', {
    desiredNumberScheduled: 3,
    currentNumberScheduled: 3,
    updatedNumberScheduled,
    numberReady: numberAvailable,
    numberAvailable,
  });

describe('crashes during a rollout of a workload without ReplicaSets', () => {
  const briefly = (web: ReturnType<typeof watchedWeb>): void => {
    web.runs(0);
    web.dies(0);
    web.runs(1);
    web.dies(1);
    web.backsOff(1);
    web.pass(10 * SECOND);
    web.runs(2);
    web.pass(5 * SECOND);
  };

  it('fire nothing where the rollout of a StatefulSet succeeds seconds later', () => {
    const web = watchedWeb(OF_STATEFUL_SET);
    web.statefulSet(stateful(1, 2));
    briefly(web);
    web.statefulSet(stateful(3, 3));
    web.pass(10 * MINUTE);
    assert.deepEqual([...new Set(web.found())].sort(), ['rollout-crash-recovered', 'single-restart-recovered']);
  });

  it('fire nothing where the rollout of a DaemonSet succeeds seconds later, its last pod included', () => {
    const web = watchedWeb(OF_DAEMON_SET);
    web.daemonSet(daemon(1, 2));
    web.daemonSet(daemon(3, 2));
    briefly(web);
    web.daemonSet(daemon(3, 3));
    web.pass(10 * MINUTE);
    assert.deepEqual([...new Set(web.found())].sort(), ['rollout-crash-recovered', 'single-restart-recovered']);
  });

  it('fire once the rollout comes no further', () => {
    const web = watchedWeb(OF_STATEFUL_SET);
    web.statefulSet(stateful(1, 2));
    web.runs(0);
    web.backsOff(1);
    web.pass(40 * SECOND);
    assert.deepEqual(web.found(), []);
    web.pass(10 * SECOND);
    assert.deepEqual(web.found(), ['CrashLoopBackOff firing']);
  });

  it('fire at once where no rollout is under way, or pods are replaced by hand', () => {
    for (const [controller, tell] of [
      [OF_STATEFUL_SET, (web: ReturnType<typeof watchedWeb>) => web.statefulSet(stateful(3, 3))],
      [OF_STATEFUL_SET, (web: ReturnType<typeof watchedWeb>) => web.statefulSet(stateful(1, 2, { type: 'OnDelete' }))],
      [OF_DAEMON_SET, (web: ReturnType<typeof watchedWeb>) => web.daemonSet(daemon(3, 2))],
    ] as const) {
      const web = watchedWeb(controller);
      tell(web);
      web.runs(0);
      web.backsOff(1);
      web.pass(SECOND);
      assert.deepEqual(web.found(), ['CrashLoopBackOff firing']);
    }
  });
});

describe('crashes during a rollout', () => {
  it('that succeeds seconds later fire nothing', () => {
    const web = watchedWeb();
    web.deployment(ROLLING);
    web.runs(0);
    web.dies(0);
    web.runs(1);
    web.dies(1);
    web.backsOff(1);
    web.pass(10 * SECOND);
    web.runs(2);
    web.pass(5 * SECOND);
    web.deployment();
    web.pass(10 * MINUTE);
    assert.deepEqual([...new Set(web.found())].sort(), ['rollout-crash-recovered', 'single-restart-recovered']);
  });

  it('that comes no further fire once they have lasted, although the container runs between them', () => {
    const web = watchedWeb();
    web.deployment(ROLLING);
    web.runs(0);
    web.dies(0);
    web.runs(1);
    web.backsOff(1);
    web.pass(20 * SECOND);
    web.runs(2);
    web.backsOff(2);
    web.pass(20 * SECOND);
    assert.ok(!web.found().some((each) => each.endsWith('firing')));
    web.pass(10 * SECOND);
    assert.deepEqual(web.found(), ['CrashLoopBackOff firing']);
  });

  it('fire once they have lasted, although each restart makes a pod without a probe ready for a moment', () => {
    const web = watchedWeb();
    web.deployment({ ...ROLLING, ready: 2, available: 2 });
    web.runs(0);
    for (const restart of [1, 2, 3]) {
      web.backsOff(restart);
      web.deployment({ ...ROLLING, ready: 2, available: 2 });
      web.pass(30 * SECOND);
      web.runs(restart + 1);
      web.deployment({ ...ROLLING, ready: 3, available: 3 });
      web.pass(SECOND);
    }
    assert.ok(web.found().includes('CrashLoopBackOff firing'));
  });

  it('fire once they have lasted, although an autoscaler changes the replicas meanwhile', () => {
    const web = watchedWeb();
    web.deployment(ROLLING);
    web.runs(1);
    for (let restart = 1; restart < 6; restart += 1) {
      web.backsOff(restart);
      web.pass(15 * SECOND);
      web.deployment({ ...ROLLING, generation: 2 + restart, observedGeneration: 1 + restart, replicas: 2 + restart });
    }
    assert.ok(web.found().includes('CrashLoopBackOff firing'));
  });

  it('fire at once when its deadline passes', () => {
    const web = watchedWeb();
    web.deployment(ROLLING);
    web.runs(1);
    web.backsOff(2);
    web.deployment({
      ...ROLLING,
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
    });
    assert.ok(web.found().includes('CrashLoopBackOff firing'));
  });

  it('of a Deployment that is rolled out fire at once', () => {
    const web = watchedWeb();
    web.deployment();
    web.runs(0);
    web.dies(1);
    assert.deepEqual(web.found(), ['CrashLoopBackOff firing']);
  });
});

describe('restarts that go on', () => {
  it('bring no new signal each, however long the container runs between two of them', () => {
    const web = watchedWeb();
    web.deployment();
    web.runs(0);
    for (let restart = 1; restart < 8; restart += 1) {
      web.dies(restart);
      web.runs(restart + 1);
      web.pass(8 * MINUTE);
    }
    assert.equal(web.episodes(), 2, 'the first crash, which the pod had recovered from, and the series');
  });

  it('are one signal where no crash was seen, too', () => {
    const web = watchedWeb();
    web.deployment();
    for (let restart = 0; restart < 12; restart += 1) {
      web.runs(restart);
      web.pass(5 * MINUTE);
    }
    assert.equal(web.episodes(), 1);
    assert.ok(web.found().includes('RestartStorm firing'));
  });

  it('that stop and begin again after the pod recovered are another signal, for an ended one never fires again', () => {
    const web = watchedWeb();
    web.deployment();
    const burst = (from: number): void => {
      for (let restart = from; restart < from + 6; restart += 1) {
        web.runs(restart);
        web.pass(20 * SECOND);
      }
    };
    burst(0);
    web.pass(10 * MINUTE);
    web.found();
    web.runs(6);
    assert.deepEqual(
      web.found().filter((each) => each.startsWith('RestartStorm')),
      [],
      'one restart after the recovery is no series yet',
    );
    burst(7);
    assert.ok(web.found().includes('RestartStorm firing'));
    assert.equal(web.episodes(), 2);
  });

  it('are over minutes after the last of a burst, without any news of the pod', () => {
    const web = watchedWeb();
    web.deployment();
    for (let restart = 0; restart < 6; restart += 1) {
      web.runs(restart);
      web.pass(20 * SECOND);
    }
    web.pass(3 * MINUTE);
    assert.deepEqual(
      web.found().filter((each) => each.startsWith('RestartStorm')),
      ['RestartStorm firing', 'RestartStorm resolved'],
    );
  });
});
