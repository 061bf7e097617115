import type { KubeClient } from '../kube-client/kube-client.ts';
import { isKubeCode } from '../kube-client/kube-error.ts';
import type { Pod } from '../kube-client/pod.ts';
import { CONFIG_MAPS, ENDPOINT_SLICES, SECRETS } from '../kube-client/resource.ts';
import type { Behaviour, Condition } from '../stories/behaviour.ts';
import type { StartFacts } from './start-decision.ts';

type Data = Readonly<Record<string, string>> | undefined;

function servicesIn(condition: Condition): readonly string[] {
  if (condition.kind === 'service-without-endpoints') return [condition.service];
  if (condition.kind === 'not') return servicesIn(condition.condition);
  return condition.kind === 'all' ? condition.of.flatMap(servicesIn) : [];
}

function referenced(pod: Pod): { readonly secrets: Set<string>; readonly configMaps: Set<string> } {
  const secrets = new Set<string>();
  const configMaps = new Set<string>();
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    for (const { valueFrom } of container.env ?? []) {
      if (valueFrom?.secretKeyRef !== undefined) secrets.add(valueFrom.secretKeyRef.name);
      if (valueFrom?.configMapKeyRef !== undefined) configMaps.add(valueFrom.configMapKeyRef.name);
    }
    for (const from of container.envFrom ?? []) {
      if (from.secretRef !== undefined) secrets.add(from.secretRef.name);
      if (from.configMapRef !== undefined) configMaps.add(from.configMapRef.name);
    }
  }
  for (const volume of pod.spec.volumes ?? []) {
    if (volume.secret !== undefined) secrets.add(volume.secret.secretName);
    if (volume.configMap !== undefined) configMaps.add(volume.configMap.name);
  }
  return { secrets, configMaps };
}

async function dataOf(
  client: KubeClient,
  kind: 'Secret' | 'ConfigMap',
  namespace: string,
  name: string,
): Promise<Data> {
  try {
    const object = await client.get(kind === 'Secret' ? SECRETS : CONFIG_MAPS, namespace, name);
    const entries = Object.entries(object.data ?? {});
    if (kind === 'ConfigMap') return Object.fromEntries(entries);
    return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
  } catch (error) {
    if (isKubeCode(error, 404)) return undefined;
    throw error;
  }
}

/** How many endpoints of the Service are ready; 0 too where there is no such Service. */
export async function readyEndpoints(client: KubeClient, namespace: string, service: string): Promise<number> {
  const { items } = await client.list(ENDPOINT_SLICES, namespace, {
    labelSelector: `kubernetes.io/service-name=${service}`,
  });
  return items.flatMap((slice) => slice.endpoints ?? []).filter((endpoint) => endpoint.conditions?.ready === true)
    .length;
}

async function each<T>(names: Iterable<string>, read: (name: string) => Promise<T>): Promise<Record<string, T>> {
  return Object.fromEntries(await Promise.all([...names].map(async (name) => [name, await read(name)] as const)));
}

/** Reads what decides how the pod's containers start. Throws when the API server does not answer. */
export async function gatherStartFacts(
  client: KubeClient,
  pod: Pod,
  behaviours: readonly Behaviour[],
  own: Pick<StartFacts, 'markers' | 'ordinal'>,
): Promise<StartFacts> {
  const namespace = pod.metadata.namespace ?? '';
  const names = referenced(pod);
  const workload = pod.metadata.labels?.['app.kubernetes.io/name'];
  const services = new Set(
    behaviours.filter((one) => one.workload === workload).flatMap((one) => servicesIn(one.when)),
  );
  const [secrets, configMaps, endpoints] = await Promise.all([
    each(names.secrets, (name) => dataOf(client, 'Secret', namespace, name)),
    each(names.configMaps, (name) => dataOf(client, 'ConfigMap', namespace, name)),
    each(services, (name) => readyEndpoints(client, namespace, name)),
  ]);
  return { secrets, configMaps, readyEndpoints: endpoints, ...own };
}

/** What a kubelet says about each volume whose Secret or ConfigMap does not exist. */
export function mountErrors(pod: Pod, facts: StartFacts): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const { secret, configMap } = volume;
    const missing =
      secret !== undefined && secret.optional !== true && facts.secrets[secret.secretName] === undefined
        ? `secret "${secret.secretName}" not found`
        : configMap !== undefined && configMap.optional !== true && facts.configMaps[configMap.name] === undefined
          ? `configmap "${configMap.name}" not found`
          : undefined;
    return missing === undefined ? [] : [`MountVolume.SetUp failed for volume "${volume.name}" : ${missing}`];
  });
}
