import type { IncidentReport } from '@hephaisto/core/report/incident';
import type { KubeObject } from '../../../operator/src/demo/cluster/object.ts';
import type { Pod } from '../../../operator/src/demo/kube-client/pod.ts';
import { NAMESPACES, PODS, type ResourceType } from '../../../operator/src/demo/kube-client/resource.ts';
import type { PodTemplate } from '../../../operator/src/demo/kube-client/workload.ts';
import { namespaceManifest, template } from '../../../operator/src/demo/stories/manifests.ts';
import {
  type WrongAddress,
  wrongAddressBehaviours,
  wrongAddressSpec,
} from '../../../operator/src/demo/stories/wrong-address.ts';
import type { Context } from '../context.ts';
import { spell } from '../harness/audit.ts';
import { type Actor, startActor } from '../harness/casting.ts';
import { type RealCluster, WORLD_SPEED } from '../harness/cluster.ts';
import { freshDatabase } from '../harness/databases.ts';
import { expectEqual, realWrites } from '../harness/expect.ts';
import { answerWord, approve, awaitIncident, openShop } from '../harness/fault.ts';
import { until } from '../harness/until.ts';

/** By which `--story` names it. */
export const STUCK_STATEFUL_SET = 'stuck-stateful-set';
/** The ordinal that an ordered rollout replaces first, and that stays unready. */
const STUCK_POD = 'db-1';
const FAULT: WrongAddress = {
  workload: 'db',
  image: 'db:16.4',
  replicas: 2,
  variable: 'UPSTREAM_URL',
  good: 'http://primary:5432',
  wrong: 'http://primary:54E2',
};

interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly serviceName: string;
    readonly selector: object;
    readonly template: PodTemplate;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}

const STATEFUL_SETS: ResourceType<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
};
const BUDGETS: ResourceType<KubeObject & { readonly status?: { readonly currentHealthy?: number } }> = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};

interface Variant {
  readonly word: string;
  readonly title: string;
  readonly hasBudget: boolean;
  /** Real writes by the operator in the namespace, in order. */
  readonly writes: readonly string[];
  readonly result: string;
}

const PATCH = 'patch statefulsets/db 200';
const VARIANTS: readonly Variant[] = [
  {
    word: 'evicted',
    title: 'a stuck StatefulSet is rolled back and its stuck pod evicted',
    hasBudget: false,
    writes: [PATCH, `create pods/eviction/${STUCK_POD} 201`],
    result: `${STUCK_POD}: evicted`,
  },
  {
    word: 'deleted',
    title: 'a stuck StatefulSet is rolled back and its stuck pod deleted where only the disruption budget refuses',
    hasBudget: true,
    writes: [PATCH, `create pods/eviction/${STUCK_POD} 429`, `delete pods/${STUCK_POD} 200`],
    result: `${STUCK_POD}: deleted`,
  },
];

/**
 * A rollout of a StatefulSet that waits for a pod which never becomes ready (kubernetes#67250). Only on the real control plane: the simulated
 * cluster has no StatefulSet controller.
 */
export async function checkStuckStatefulSets(context: Context): Promise<void> {
  const world = await context.world();
  const cluster = await context.cluster();
  await openShop(cluster);
  const actor = await startActor(world, cluster, {
    name: STUCK_STATEFUL_SET,
    speed: WORLD_SPEED,
    database: await freshDatabase(world, context.db ?? 'pg'),
  });
  try {
    await Promise.all(
      VARIANTS.map((variant) => context.check(variant.title, () => checkVariant(context, cluster, actor, variant))),
    );
  } finally {
    await actor.operator.stop();
  }
}

async function checkVariant(context: Context, cluster: RealCluster, actor: Actor, variant: Variant): Promise<void> {
  const suffix = Math.floor(Date.now() / 1000)
    .toString(36)
    .slice(-4);
  // The demo's policy knows namespaces by the names of stories.
  const namespace = `bad-rollout-${variant.word}-${suffix}`;
  try {
    await install(cluster, namespace, variant.hasBudget);
    const before = await breakRollout(cluster, namespace);
    const proposed = await awaitIncident(
      actor.people.vic,
      namespace,
      'AwaitingApproval',
      ({ state, currentProposal }) => state === 'AwaitingApproval' && currentProposal !== null,
      60,
    );
    expectPlan(proposed);
    const { id, digest } = proposed.currentProposal ?? { id: '', digest: '' };
    expectEqual(
      'the answer to the approval',
      answerWord(await approve(actor.people.ana, { id, digest })),
      '200 Approved',
    );
    const resolved = await awaitIncident(
      actor.people.vic,
      namespace,
      'Resolved',
      ({ state }) => state === 'Resolved',
      90,
    );
    await expectHealed(cluster, namespace, before, resolved, variant);
  } finally {
    cluster.kubelet.forgetNamespace(namespace);
    await cluster.client.remove(NAMESPACES, undefined, namespace).catch((error: unknown) => {
      context.say(`${namespace} is left behind: ${String(error)}`);
    });
  }
}

async function install(cluster: RealCluster, namespace: string, hasBudget: boolean): Promise<void> {
  const { client, kubelet } = cluster;
  kubelet.setBehaviours(namespace, wrongAddressBehaviours(FAULT));
  await client.create(NAMESPACES, namespaceManifest(namespace));
  await cluster.allowActing(namespace);
  const labels = { 'app.kubernetes.io/name': FAULT.workload };
  await client.create(STATEFUL_SETS, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: FAULT.workload, namespace, labels },
    spec: {
      replicas: FAULT.replicas,
      serviceName: FAULT.workload,
      selector: { matchLabels: labels },
      template: template(wrongAddressSpec(FAULT, FAULT.good)),
    },
  });
  await until('the StatefulSet is ready', async () => isRolledOut(await setIn(cluster, namespace)), 45);
  if (!hasBudget) return;
  await client.create(BUDGETS, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: FAULT.workload, namespace },
    spec: { minAvailable: FAULT.replicas, selector: { matchLabels: labels } },
  });
  await until('the budget counts the pods', async () => {
    const { status } = await client.get(BUDGETS, namespace, FAULT.workload);
    return status?.currentHealthy === FAULT.replicas;
  });
}

/** Rolls out the wrong value, and gives the uid of the pod that is stuck with it. */
async function breakRollout(cluster: RealCluster, namespace: string): Promise<string> {
  const wrong = template(wrongAddressSpec(FAULT, FAULT.wrong));
  const before = await podIn(cluster, namespace);
  await cluster.client.patch(STATEFUL_SETS, namespace, FAULT.workload, [
    { op: 'replace', path: '/spec/template', value: wrong },
  ]);
  let uid: string | undefined;
  await until(
    `${STUCK_POD} crashes with the new value`,
    async () => {
      const pod = await podIn(cluster, namespace);
      uid = pod.metadata.uid;
      return (
        uid !== before.metadata.uid &&
        pod.status?.containerStatuses?.some(({ restartCount }) => restartCount > 0) === true
      );
    },
    45,
  );
  return uid ?? '';
}

function expectPlan({ currentProposal, verdict, actions }: IncidentReport): void {
  expectEqual('the certainty of the cause', verdict?.certainty, 'proven');
  expectEqual('the proposed action', actions[0]?.type, 'RollbackWorkload');
  const { fromRevision, toRevision } = actions[0]?.params ?? {};
  expectEqual('the revisions of the rollback', [fromRevision, toRevision], [2, 1]);
  const removed = currentProposal?.diff.filter(({ path }) => path.startsWith('pods/')) ?? [];
  expectEqual(
    'the pods that the plan removes',
    removed.map(({ path }) => path),
    [`pods/${STUCK_POD}`],
  );
  if (!/evicted.*deleted/.test(removed[0]?.to ?? ''))
    throw new Error(`expected the plan to state the eviction and the deletion, found ${JSON.stringify(removed)}`);
}

async function expectHealed(
  cluster: RealCluster,
  namespace: string,
  stuck: string,
  incident: IncidentReport,
  { writes, result }: Variant,
): Promise<void> {
  expectEqual('who resolved the incident', incident.resolutionSource, 'verifier');
  const found = await realWrites(cluster.auditLog, namespace);
  const lines = found.map(
    ({ verb, resource, subresource, name, status }) =>
      `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}/${name} ${status}`,
  );
  if (JSON.stringify(lines) !== JSON.stringify(writes))
    throw new Error(`expected the writes ${writes.join('; ')}, found ${found.map(spell).join('; ')}`);
  const notes = JSON.stringify(incident.events.filter(({ reason }) => reason === 'pods_removed'));
  if (!notes.includes(result)) throw new Error(`expected a note of \`${result}\`, found ${notes}`);
  const set = await setIn(cluster, namespace);
  if (!isRolledOut(set)) throw new Error(`expected the StatefulSet to be ready, found ${JSON.stringify(set.status)}`);
  const pod = await podIn(cluster, namespace);
  if (pod.metadata.uid === stuck) throw new Error(`expected ${STUCK_POD} to be replaced, found the stuck pod`);
}

function setIn({ client }: RealCluster, namespace: string): Promise<StatefulSet> {
  return client.get(STATEFUL_SETS, namespace, FAULT.workload);
}

function podIn({ client }: RealCluster, namespace: string): Promise<Pod> {
  return client.get(PODS, namespace, STUCK_POD);
}

function isRolledOut({ metadata, spec, status = {} }: StatefulSet): boolean {
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = status;
  return (
    observedGeneration >= (metadata.generation ?? 0) &&
    readyReplicas === spec.replicas &&
    updateRevision !== undefined &&
    (currentRevision === updateRevision || updatedReplicas === spec.replicas)
  );
}
