import { assertNever } from '@hephaisto/core/assert-never';
import type { JsonPatchOperation, KubeClient } from '../kube-client/kube-client.ts';
import { isKubeCode } from '../kube-client/kube-error.ts';
import type { Container, Pod } from '../kube-client/pod.ts';
import { DEPLOYMENTS, EVENTS, JOBS, NAMESPACES, NODES, PODS, resourceOf } from '../kube-client/resource.ts';
import { retrying } from '../kube-client/retry.ts';
import type { Deployment } from '../kube-client/workload.ts';
import type { Pace } from '../pace.ts';
import { inNamespace, namespaceManifest } from './manifests.ts';
import type { Manifest, WorldStep } from './story.ts';
import { type ConditionState, conditionState, podsOf } from './world-condition.ts';

/** Where and as whom a story's world is played. The client's identity stands for the people who change things. */
export interface WorldContext {
  readonly client: KubeClient;
  readonly pace: Pace;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Told of each step before it is done. */
  onStep?(step: WorldStep): void;
}

/** A story's world did not come to be as written. */
export class WorldError extends Error {
  override readonly name = 'WorldError';
}

const LOOK_MS = 100;
/** Real time that a busy machine may take beyond the story's own. */
const PATIENCE_MS = 60_000;

async function applyAll(context: WorldContext, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const object = inNamespace(manifest, context.namespace);
    await retrying(context.pace, () => context.client.create(resourceOf(object), object), context.signal);
  }
}

/** Creates the run's namespace. Throws when it exists: a story plays in a new one. */
export async function createStoryNamespace(context: WorldContext): Promise<void> {
  await context.client.create(NAMESPACES, namespaceManifest(context.namespace));
}

async function look(context: WorldContext, step: WorldStep & { do: 'wait-until' }): Promise<ConditionState> {
  const { client, namespace } = context;
  const [pods, deployments, jobs] = await Promise.all([
    client.list(PODS, namespace),
    client.list(DEPLOYMENTS, namespace),
    client.list(JOBS, namespace),
  ]);
  return conditionState(step.until, { pods: pods.items, deployments: deployments.items, jobs: jobs.items });
}

async function waitUntil(context: WorldContext, step: WorldStep & { do: 'wait-until' }): Promise<void> {
  const { pace, signal } = context;
  const until = pace.now().getTime() + (step.withinSeconds * 1000) / pace.speed + PATIENCE_MS;
  for (;;) {
    const state = await retrying(pace, () => look(context, step), signal);
    if (state.kind === 'holds') return;
    if (pace.now().getTime() > until) {
      throw new WorldError(`expected within ${step.withinSeconds} s that ${step.note}, found ${state.found}`);
    }
    await pace.sleep(LOOK_MS * pace.speed, signal);
  }
}

/** Changes the Deployment as it is now; tried again when somebody else was faster. */
async function changeDeployment(
  context: WorldContext,
  name: string,
  change: (deployment: Deployment) => readonly JsonPatchOperation[],
  subresource?: 'scale',
): Promise<void> {
  const { client, pace, namespace, signal } = context;
  await retrying(
    pace,
    async () => {
      const found = await client.get(DEPLOYMENTS, namespace, name);
      await client.patch(DEPLOYMENTS, namespace, name, change(found), subresource);
    },
    signal,
  );
}

function containerAt(deployment: Deployment, name: string): { readonly path: string; readonly container: Container } {
  const index = deployment.spec.template.spec.containers.findIndex((each) => each.name === name);
  const container = deployment.spec.template.spec.containers[index];
  if (container === undefined) throw new WorldError(`expected a container named \`${name}\`, found none`);
  return { path: `/spec/template/spec/containers/${index}`, container };
}

function withEnv(container: Container, name: string, value: string): Container['env'] {
  const env = container.env ?? [];
  const known = env.some((each) => each.name === name);
  return known ? env.map((each) => (each.name === name ? { name, value } : each)) : [...env, { name, value }];
}

async function firstPod(context: WorldContext, workload: string): Promise<Pod> {
  const { items } = await context.client.list(PODS, context.namespace);
  const found = [...podsOf({ pods: items }, workload)].sort((one, other) =>
    one.metadata.name.localeCompare(other.metadata.name),
  )[0];
  if (found === undefined) throw new WorldError(`expected a pod of \`${workload}\`, found none`);
  return found;
}

async function postEvent(context: WorldContext, step: WorldStep & { do: 'post-event' }): Promise<void> {
  const { client, pace, namespace } = context;
  const pod = await firstPod(context, step.workload);
  const when = new Date(pace.now().getTime() - step.secondsAgo * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  const { name, uid = '' } = pod.metadata;
  await client.create(EVENTS, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${pace.now().getTime().toString(16)}`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    ...step.event,
    firstTimestamp: when,
    lastTimestamp: when,
    source: { component: step.component },
    reportingComponent: step.component,
    reportingInstance: '',
  });
}

async function setUnschedulable(context: WorldContext, node: string, unschedulable: boolean): Promise<void> {
  const operations = [{ op: 'add', path: '/spec/unschedulable', value: unschedulable }] as const;
  await context.client.patch(NODES, undefined, node, operations).catch((error: unknown) => {
    if (!isKubeCode(error, 404)) throw error;
  });
}

/** Does one step of a world and resolves when it is done. Throws WorldError when it cannot be, and what the API server says. */
export async function playStep(context: WorldContext, step: WorldStep): Promise<void> {
  const { client, pace, namespace, signal } = context;
  context.onStep?.(step);
  switch (step.do) {
    case 'apply':
      return applyAll(context, step.manifests);
    case 'wait':
      return pace.sleep(step.seconds * 1000, signal);
    case 'wait-until':
      return waitUntil(context, step);
    case 'set-env':
      return changeDeployment(context, step.deployment, (deployment) => {
        const { path, container } = containerAt(deployment, step.container);
        return [{ op: 'add', path: `${path}/env`, value: withEnv(container, step.name, step.value) }];
      });
    case 'set-image':
      return changeDeployment(context, step.deployment, (deployment) => {
        return [{ op: 'replace', path: `${containerAt(deployment, step.container).path}/image`, value: step.image }];
      });
    case 'set-memory-limit':
      return changeDeployment(context, step.deployment, (deployment) => {
        const { path, container } = containerAt(deployment, step.container);
        const limits = { ...container.resources?.limits, memory: step.limit };
        return [{ op: 'add', path: `${path}/resources`, value: { ...container.resources, limits } }];
      });
    case 'push-template':
      return changeDeployment(context, step.deployment, () => [
        { op: 'replace', path: '/spec/template', value: step.template },
      ]);
    case 'restart':
      return changeDeployment(context, step.deployment, (deployment) => {
        const annotations = {
          ...deployment.spec.template.metadata?.annotations,
          'kubectl.kubernetes.io/restartedAt': pace.now().toISOString(),
        };
        return [{ op: 'add', path: '/spec/template/metadata/annotations', value: annotations }];
      });
    case 'scale':
      return changeDeployment(
        context,
        step.deployment,
        () => [{ op: 'replace', path: '/spec/replicas', value: step.replicas }],
        'scale',
      );
    case 'delete-pod':
      return client.remove(PODS, namespace, (await firstPod(context, step.workload)).metadata.name);
    case 'evict-pod':
      return client.evict(namespace, (await firstPod(context, step.workload)).metadata.name);
    case 'cordon':
    case 'uncordon':
      return setUnschedulable(context, step.node, step.do === 'cordon');
    case 'post-event':
      return postEvent(context, step);
    default:
      return assertNever(step);
  }
}

/** Plays all steps in order. */
export async function playTimeline(context: WorldContext, timeline: readonly WorldStep[]): Promise<void> {
  for (const step of timeline) await playStep(context, step);
}
