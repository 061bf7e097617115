import { ACTIONS_ALLOWED, ACTIONS_LABEL } from '@hephaisto/core/action/labels';
import type { KubeObject } from '../cluster/object.ts';
import type { Container, EnvVar, Volume } from '../kube-client/pod.ts';
import type { PodTemplate } from '../kube-client/workload.ts';
import type { Manifest } from './story.ts';

/** The few things in which the stories' workloads differ; everything else is alike. */
export interface WorkloadSpec {
  readonly name: string;
  readonly image: string;
  readonly replicas?: number;
  readonly env?: readonly EnvVar[];
  readonly memoryLimit?: string;
  readonly memoryRequest?: string;
  readonly cpuRequest?: string;
  readonly volumes?: readonly Volume[];
  readonly mounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

const REGISTRY = 'registry.shop.example';

/** `checkout:2.4.0` as the shop's registry names it. */
export function shopImage(image: string): string {
  return `${REGISTRY}/${image}`;
}

function labels(name: string): Record<string, string> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'shop' };
}

function container(spec: WorkloadSpec): Container {
  const request = spec.memoryRequest ?? spec.memoryLimit ?? '32Mi';
  return {
    name: spec.name,
    image: shopImage(spec.image),
    env: spec.env === undefined ? [] : [...spec.env],
    ports: [{ name: 'http', containerPort: 8080 }],
    resources: {
      requests: { cpu: spec.cpuRequest ?? '20m', memory: request },
      ...(spec.memoryLimit === undefined ? {} : { limits: { memory: spec.memoryLimit } }),
    },
    readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 10, failureThreshold: 3 },
    ...(spec.mounts === undefined ? {} : { volumeMounts: [...spec.mounts] }),
  };
}

/** The pod template of a workload. */
export function template(spec: WorkloadSpec): PodTemplate {
  return {
    metadata: { labels: labels(spec.name) },
    spec: { containers: [container(spec)], ...(spec.volumes === undefined ? {} : { volumes: [...spec.volumes] }) },
  };
}

export function deployment(spec: WorkloadSpec): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: spec.name, labels: labels(spec.name) },
    spec: {
      replicas: spec.replicas ?? 1,
      selector: { matchLabels: { 'app.kubernetes.io/name': spec.name } },
      template: template(spec),
    },
  };
}

export function service(name: string, port = 8080): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: labels(name) },
    spec: { selector: { 'app.kubernetes.io/name': name }, ports: [{ name: 'main', port, targetPort: 8080 }] },
  };
}

/** A Deployment with the Service in front of it. */
export function app(spec: WorkloadSpec, port?: number): readonly Manifest[] {
  return [service(spec.name, port), deployment(spec)];
}

/** A Job whose pods are never restarted in place. */
export function job(spec: WorkloadSpec, backoffLimit = 2): Manifest {
  const { readinessProbe: _jobsServeNobody, ports: _none, ...task } = container(spec);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: spec.name, labels: labels(spec.name) },
    spec: {
      backoffLimit,
      template: { metadata: { labels: labels(spec.name) }, spec: { restartPolicy: 'Never', containers: [task] } },
    },
  };
}

export function secret(name: string, values: Readonly<Record<string, string>>): Manifest {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels: labels(name) }, type: 'Opaque', data };
}

/** The run's namespace, with the label that lets anything be done in it. */
export function namespaceManifest(name: string): KubeObject {
  const own = { 'app.kubernetes.io/part-of': 'shop', [ACTIONS_LABEL]: ACTIONS_ALLOWED };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: own } };
}

/** The manifest as it is created in this namespace; `{namespace}` in its texts becomes the name. */
export function inNamespace(manifest: Manifest, namespace: string): KubeObject {
  const filled = JSON.parse(JSON.stringify(manifest).replaceAll('{namespace}', namespace)) as KubeObject;
  return { ...filled, metadata: { ...filled.metadata, namespace } };
}
