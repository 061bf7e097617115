import type { KubeWrite } from '@hephaisto/core/action/types';
import { sameJson } from '@hephaisto/core/canonical-json';
import { projectNode } from '@hephaisto/core/facts/project-node';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { projectWorkload } from '@hephaisto/core/facts/project-workload';
import type { KubeFailure, KubeRead, KubeReader, KubeWriter } from '@hephaisto/core/ports/kube';

type Raw = Record<string, unknown>;

export interface SentWrite {
  readonly write: KubeWrite;
  readonly dryRun: boolean;
}

/** What the network or the server does with one write: the answer instead, before or after it took effect. */
export type Interference = (
  sent: SentWrite,
) => { readonly instead?: KubeFailure; readonly afterwards?: KubeFailure } | undefined | Promise<undefined>;

const NOT_FOUND: KubeFailure = { kind: 'failure', reason: 'not-found', status: 404, message: 'not found' };

/**
 * One Deployment `shop/checkout` with its pods and two revisions, and a store that keeps the API's rules for what this product sends: preconditions,
 * resource versions, generations, dry runs. Everything that is written is kept.
 */
export class FakeCluster implements KubeReader, KubeWriter {
  readonly sent: SentWrite[] = [];
  readonly mirrored: {
    readonly reason: string;
    readonly note: string;
    readonly regarding: { readonly uid?: string };
  }[] = [];
  readonly objects = new Map<string, Raw>();
  /** Every question that lists a collection, in the order asked. */
  readonly lists: string[] = [];
  namespaceMarks: Record<string, string> = { 'hephaisto.io/actions': 'allowed' };
  /** Objects, as `resource/namespace/name`, for whose GET no answer comes. */
  readonly silent = new Set<string>();
  /** Set: every read fails so. */
  readFailure: KubeFailure | undefined;
  interfere: Interference = () => undefined;
  /** What the controllers make of a write. */
  react: (object: Raw) => void = (object) => this.settle(object);
  private version = 100;

  constructor(namespace = 'shop') {
    this.put('deployments', namespace, 'checkout', deployment(namespace));
    for (const name of ['a', 'b', 'c', 'd'])
      this.put('pods', namespace, `checkout-${name}`, pod(namespace, `checkout-${name}`, name !== 'a'));
  }

  put(resource: string, namespace: string, name: string, object: Raw): void {
    this.version += 1;
    this.objects.set(`${resource}/${namespace}/${name}`, {
      ...object,
      metadata: { ...(object.metadata as Raw), resourceVersion: String(this.version) },
    });
  }

  /** Changes an object as somebody else would. */
  edit(resource: string, name: string, change: (object: Raw) => void, namespace = 'shop'): void {
    const copy = structuredClone(this.objects.get(`${resource}/${namespace}/${name}`) ?? {});
    change(copy);
    this.put(resource, namespace, name, copy);
  }

  remove(resource: string, name: string, namespace = 'shop'): void {
    this.objects.delete(`${resource}/${namespace}/${name}`);
  }

  /** Writes that took a real effect, or tried to. */
  get real(): readonly SentWrite[] {
    return this.sent.filter(({ dryRun }) => !dryRun);
  }

  spec(name = 'checkout', namespace = 'shop'): Raw {
    return (this.objects.get(`deployments/${namespace}/${name}`)?.spec ?? {}) as Raw;
  }

  annotations(): Readonly<Record<string, string>> {
    const metadata = this.objects.get('deployments/shop/checkout')?.metadata as
      | { annotations?: Record<string, string> }
      | undefined;
    return metadata?.annotations ?? {};
  }

  /** All pods of the workload ready on the present template. */
  settle(object: Raw): void {
    const { generation } = object.metadata as { generation?: number };
    const { replicas } = object.spec as { replicas?: number };
    if (replicas === undefined) return;
    object.status = {
      observedGeneration: generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
    };
  }

  // An arrow, so that the object can be passed as a port.
  send = async (write: KubeWrite, options: { readonly dryRun: boolean }): Promise<KubeRead<Readonly<Raw>>> => {
    const sent = { write, dryRun: options.dryRun };
    this.sent.push(sent);
    const meddled = await this.interfere(sent);
    if (meddled?.instead !== undefined) return meddled.instead;
    const answer = this.apply(write, options.dryRun);
    return meddled?.afterwards ?? answer;
  };

  private apply(write: KubeWrite, dryRun: boolean): KubeRead<Readonly<Raw>> {
    const key = `${write.resource}/${write.namespace}/${write.name}`;
    const present = this.objects.get(key);
    if (present === undefined) return NOT_FOUND;
    if (write.verb !== 'patch') {
      if ((present.metadata as Raw).uid !== write.preconditions.uid)
        return {
          kind: 'failure',
          reason: 'conflict',
          status: 409,
          message: 'the UID in the precondition does not match',
        };
      const version = write.verb === 'delete' ? write.preconditions.resourceVersion : undefined;
      if (version !== undefined && (present.metadata as Raw).resourceVersion !== version)
        return {
          kind: 'failure',
          reason: 'conflict',
          status: 409,
          message: 'the ResourceVersion in the precondition does not match',
        };
      if (!dryRun) this.objects.delete(key);
      return { kind: 'ok', value: present };
    }
    const copy = structuredClone(present);
    for (const { op, path, value } of write.patch) {
      const parts = path
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      const last = parts.pop() ?? '';
      let parent: Raw = copy;
      for (const part of parts) parent = parent[part] as Raw;
      if (op === 'test' && !sameJson(parent[last], value))
        return { kind: 'failure', reason: 'invalid', status: 422, message: `test of ${path} failed` };
      if (op === 'remove') delete parent[last];
      if (op === 'add' || op === 'replace') parent[last] = structuredClone(value);
    }
    const metadata = copy.metadata as Raw;
    if (!sameJson(copy.spec, present.spec)) metadata.generation = Number(metadata.generation ?? 1) + 1;
    if (!dryRun) {
      this.react(copy);
      this.put(write.resource, write.namespace, write.name, copy);
    }
    return { kind: 'ok', value: dryRun ? copy : (this.objects.get(key) ?? copy) };
  }

  event: KubeWriter['event'] = (event) => {
    this.mirrored.push(event);
    return Promise.resolve({ kind: 'ok', value: `event-${this.mirrored.length}` });
  };

  object: KubeReader['object'] = (_version, resource, namespace, name) => {
    const key = `${resource}/${namespace}/${name}`;
    if (this.silent.has(key))
      return Promise.resolve({ kind: 'failure', reason: 'timeout', message: 'expected an answer, found none in time' });
    return this.read(() => this.objects.get(key));
  };
  workload: KubeReader['workload'] = (kind, namespace, name) =>
    this.read(() => {
      const found = this.objects.get(`${kind.toLowerCase()}s/${namespace}/${name}`);
      return found === undefined ? undefined : projectWorkload(structuredClone(found), kind);
    });
  pods: KubeReader['pods'] = (namespace, selector = {}) => {
    this.lists.push(`pods ${namespace}`);
    return this.read(() =>
      [...this.objects]
        .filter(([key]) => key.startsWith(namespace === '' ? 'pods/' : `pods/${namespace}/`))
        .map(([, object]) => projectPod(object))
        .filter(({ labels }) => Object.entries(selector).every(([name, value]) => labels[name] === value)),
    );
  };
  nodes: KubeReader['nodes'] = () => {
    this.lists.push('nodes');
    return this.read(() =>
      ['n1', 'n2', 'n3'].map((name) =>
        projectNode({ metadata: { name, uid: name }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
      ),
    );
  };
  namespaceLabels: KubeReader['namespaceLabels'] = () => this.read(() => this.namespaceMarks);
  revisions: KubeReader['revisions'] = () => {
    this.lists.push('revisions');
    return this.read(() =>
      [2, 3]
        .map((revision) => ({
          revision,
          name: `rs-${revision}`,
          uid: `rs-${revision}`,
          createdAt: new Date(0),
          replicas: 0,
          ready: 0,
          specs: [],
          template: template(`app:${revision}`),
        }))
        .reverse(),
    );
  };
  until: KubeReader['until'] = () => this;
  pod: KubeReader['pod'] = () => Promise.resolve(NOT_FOUND);
  workloads: KubeReader['workloads'] = () => Promise.resolve(NOT_FOUND);
  events: KubeReader['events'] = () => Promise.resolve({ kind: 'ok', value: [] });
  job: KubeReader['job'] = () => Promise.resolve(NOT_FOUND);
  services: KubeReader['services'] = () => Promise.resolve({ kind: 'ok', value: [] });
  quotas: KubeReader['quotas'] = () => Promise.resolve({ kind: 'ok', value: [] });
  logs: KubeReader['logs'] = () => Promise.resolve(NOT_FOUND);

  private read<T>(find: () => T | undefined): Promise<KubeRead<T>> {
    if (this.readFailure !== undefined) return Promise.resolve(this.readFailure);
    const found = find();
    return Promise.resolve(found === undefined ? NOT_FOUND : { kind: 'ok', value: structuredClone(found) });
  }
}

export function template(image: string): Raw {
  return {
    metadata: { labels: { app: 'checkout' } },
    spec: { containers: [{ name: 'app', image, resources: { limits: { memory: '128Mi' } } }] },
  };
}

function deployment(namespace: string): Raw {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace,
      name: 'checkout',
      uid: 'uid-checkout',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: { 'deployment.kubernetes.io/revision': '3' },
    },
    spec: { replicas: 4, selector: { matchLabels: { app: 'checkout' } }, template: template('app:3') },
    status: { observedGeneration: 3, replicas: 4, updatedReplicas: 4, readyReplicas: 3, availableReplicas: 3 },
  };
}

function pod(namespace: string, name: string, ready: boolean): Raw {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      uid: `uid-${name}`,
      labels: { app: 'checkout' },
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs-3', uid: 'rs-3', controller: true }],
    },
    spec: { containers: [{ name: 'app', image: 'app:3' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'app', ready, started: true, restartCount: ready ? 0 : 3 }],
    },
  };
}
