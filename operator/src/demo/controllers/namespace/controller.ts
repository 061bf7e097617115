import type { GroupVersionResource, KubeObject } from '../../cluster/object.ts';
import { type ControllerContext, type Running, runningWith } from '../runtime/context.ts';
import { createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '../shape/resources.ts';

const COMPONENT = 'namespace-controller';

export interface NamespaceContent {
  /** The certificate that pods of the namespace are told to trust, PEM. */
  readonly rootCertificate: string;
}

/** Gives every namespace the account and the certificate that pods expect to find there; both come back when deleted. */
export function startNamespaceContent(context: ControllerContext, content: NamespaceContent): Running {
  const { store, pace } = context;
  const queue = createWorkQueue({
    pace,
    reconcile: (name) => reconcile(context, content, name),
    onError: (name, error) => context.onError(COMPONENT, name, error),
  });
  const returning = ({ type, object }: { type: string; object: KubeObject }): void => {
    if (type === 'DELETED' && object.metadata.namespace !== undefined) queue.add(object.metadata.namespace);
  };
  const unsubscribe = [
    store.subscribe(NAMESPACES, ({ type, object }) => {
      if (type === 'ADDED') queue.add(object.metadata.name);
    }),
    store.subscribe(SERVICE_ACCOUNTS, returning),
    store.subscribe(CONFIG_MAPS, returning),
  ];
  for (const namespace of store.list(NAMESPACES)) queue.add(namespace.metadata.name);
  return runningWith(queue, unsubscribe);
}

function reconcile(context: ControllerContext, content: NamespaceContent, namespace: string): Outcome {
  const found = context.store.get(NAMESPACES, '', namespace);
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return SETTLED;
  ensure(context, SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace },
  });
  ensure(context, CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'kube-root-ca.crt',
      namespace,
      annotations: {
        'kubernetes.io/description':
          'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
      },
    },
    data: { 'ca.crt': content.rootCertificate },
  });
  return SETTLED;
}

function ensure({ store }: ControllerContext, gvr: GroupVersionResource, object: KubeObject): void {
  const { namespace = '', name } = object.metadata;
  if (store.get(gvr, namespace, name) === undefined) store.create(gvr, object);
}
