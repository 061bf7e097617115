import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeClient } from '../../../operator/src/demo/kube-client/kube-client.ts';
import type { ContainerStatus, Pod } from '../../../operator/src/demo/kube-client/pod.ts';
import { DEPLOYMENTS, PODS } from '../../../operator/src/demo/kube-client/resource.ts';
import type { Deployment } from '../../../operator/src/demo/kube-client/workload.ts';

export interface MetricsExporter {
  /** `host:port` for a scrape configuration. */
  readonly target: string;
  close(): Promise<void>;
}

type Labels = Readonly<Record<string, string>>;

/** Serves what kube-state-metrics would say of some namespaces, read from the API server at each scrape. */
export async function startMetricsExporter(
  client: KubeClient,
  namespaces: () => readonly string[],
): Promise<MetricsExporter> {
  const server = createServer((_request, response) => {
    scrape(client, namespaces()).then(
      (text) => response.setHeader('content-type', 'text/plain; version=0.0.4').end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function scrape(client: KubeClient, namespaces: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    namespaces.map(async (namespace) => {
      const [pods, deployments] = await Promise.all([
        client.list(PODS, namespace),
        client.list(DEPLOYMENTS, namespace),
      ]);
      return [...pods.items.flatMap(podLines), ...deployments.items.flatMap(deploymentLines)];
    }),
  );
  return `${lines.flat().join('\n')}\n`;
}

function podLines(pod: Pod): readonly string[] {
  const { name, namespace = '', uid = '' } = pod.metadata;
  const statuses: readonly ContainerStatus[] = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ];
  return statuses.flatMap((status) => {
    const reason = status.state.waiting?.reason;
    if (reason === undefined) return [];
    const labels = { namespace, pod: name, uid, container: status.name, reason };
    return [sample('kube_pod_container_status_waiting_reason', labels, 1)];
  });
}

function deploymentLines(deployment: Deployment): readonly string[] {
  const { name, namespace = '' } = deployment.metadata;
  const labels = { namespace, deployment: name };
  return [
    sample('kube_deployment_spec_replicas', labels, deployment.spec.replicas ?? 1),
    sample('kube_deployment_status_replicas_available', labels, deployment.status?.availableReplicas ?? 0),
  ];
}

function sample(metric: string, labels: Labels, value: number): string {
  const pairs = Object.entries({ job: 'kube-state-metrics', ...labels }).map(
    ([key, text]) => `${key}=${JSON.stringify(text)}`,
  );
  return `${metric}{${pairs.join(',')}} ${value}`;
}
