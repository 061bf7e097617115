import type { KubeObject } from './object.ts';
import type { ObjectStore } from './store.ts';
import { NAMESPACES } from './type-key.ts';

const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' };
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const FIRST_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const CA_DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Makes the namespaces every cluster has, and gives each namespace, now and later, the account that its pods run as by default. */
export function keepNamespaceContent(store: ObjectStore, caPem: string): () => void {
  const stop = store.subscribe(NAMESPACES, ({ type, object }) => {
    if (type === 'ADDED') fill(store, object.metadata.name, caPem);
  });
  for (const name of FIRST_NAMESPACES) {
    if (!store.get(NAMESPACES, '', name))
      store.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  return stop;
}

function fill(store: ObjectStore, namespace: string, caPem: string): void {
  const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
  const authority: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'kube-root-ca.crt',
      namespace,
      annotations: { 'kubernetes.io/description': CA_DESCRIPTION },
    },
    data: { 'ca.crt': caPem },
  };
  if (!store.get(SERVICE_ACCOUNTS, namespace, 'default')) store.create(SERVICE_ACCOUNTS, account);
  if (!store.get(CONFIG_MAPS, namespace, 'kube-root-ca.crt')) store.create(CONFIG_MAPS, authority);
}
