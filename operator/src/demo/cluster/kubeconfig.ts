import { stringify } from 'yaml';

/** A kubeconfig (YAML) for one bearer of a token on one cluster. */
export function kubeconfigText(cluster: { url: string; caPem: string }, user: { name: string; token: string }): string {
  const name = 'simulated';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: { server: cluster.url, 'certificate-authority-data': Buffer.from(cluster.caPem).toString('base64') },
      },
    ],
    users: [{ name: user.name, user: { token: user.token } }],
    contexts: [{ name, context: { cluster: name, user: user.name } }],
    'current-context': name,
  });
}
