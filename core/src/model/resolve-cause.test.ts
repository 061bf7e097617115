import assert from 'node:assert/strict';
import { test } from 'node:test';
import { env, limit, NOW, pod, replicaSet, SUBJECT } from '../diagnose/case.fixture.ts';
import { projectPod } from '../facts/project-pod.ts';
import { projectReplicaSetRevision, projectWorkload } from '../facts/project-workload.ts';
import type { Raw } from '../facts/raw.ts';
import type { CauseClaim } from './conclude.ts';
import type { Observed } from './observed.ts';
import { resolveCause } from './resolve-cause.ts';

interface Objects {
  readonly pods?: readonly Raw[];
  readonly replicaSets?: readonly Raw[];
  readonly paused?: boolean;
}

function resolve(claim: CauseClaim, { pods = [], replicaSets = [], paused = false }: Objects) {
  const template = { spec: { containers: [{ name: 'app', image: 'app:1', ...limit('64Mi') }] } };
  const workload = projectWorkload(
    { metadata: { name: 'app', namespace: 'shop', uid: 'u' }, spec: { template, paused } },
    'Deployment',
  );
  const observed: Observed = {
    workloads: [workload],
    pods: pods.map(projectPod),
    jobs: [],
    services: [],
    nodes: [],
    revisions: () => replicaSets.map(projectReplicaSetRevision).filter((revision) => revision !== undefined),
  };
  return resolveCause(claim, SUBJECT, observed);
}

const killed = (minutesAgo: number): Raw => {
  const at = new Date(NOW.getTime() - minutesAgo * 60_000).toISOString();
  return {
    restartCount: 1,
    state: { running: { startedAt: at } },
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: at } },
  };
};

test('a model may name a memory limit only for a kill of this episode', () => {
  const claim: CauseClaim = { kind: 'memory-limit-too-low', container: 'app' };
  assert.equal(resolve(claim, { pods: [pod('a', { status: killed(5) })] }).kind, 'resolved');
  const old = resolve(claim, { pods: [pod('a', { status: killed(3 * 24 * 60) })] });
  assert.equal(old.kind === 'unresolved' && old.reason, 'not-borne-out');
});

test('a field from which the symptom cannot follow is decisive for no model', () => {
  const claim: CauseClaim = { kind: 'rollout-change', symptom: 'crash' };
  const labels = (value: string): Raw => ({
    ...replicaSet(value === 'a' ? 1 : 2, {}),
    spec: { template: { metadata: { labels: { tier: value } }, spec: { containers: [] } } },
  });
  const cleared = resolve(claim, { replicaSets: [labels('b'), labels('a')] });
  assert.equal(cleared.kind === 'unresolved' && cleared.reason, 'not-borne-out');
  const blamed = resolve(claim, { replicaSets: [replicaSet(2, env('URL', 'b')), replicaSet(1, env('URL', 'a'))] });
  assert.equal(blamed.kind === 'resolved' && blamed.cause.kind === 'rollout-change' && blamed.cause.decisive?.to, 'b');
});
