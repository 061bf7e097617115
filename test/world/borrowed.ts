import { existsSync, readFileSync } from 'node:fs';
import { kubeClient } from '../../operator/src/demo/kube-client/kube-client.ts';
import { clusterAccess } from '../../operator/src/demo/kube-client/kubeconfig.ts';
import { NAMESPACES } from '../../operator/src/demo/kube-client/resource.ts';
import { serverUnderTest } from '../src/server-under-test.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Postgres } from './postgres.ts';
import { WorldError } from './world-error.ts';

/** A cluster that has this namespace says of itself that tests may do with it what they like. */
export const MARKER = 'hephaisto-test';
const AUDIT_LOG = 'hephaisto.io/audit-log';
const ETCD = 'hephaisto.io/etcd';

/** Marks a cluster, and writes down on it what a kubeconfig cannot say. With the administrator's kubeconfig, given as text. */
export async function markForTests(kubeconfig: string, { auditLog, etcdUrl }: ControlPlane): Promise<void> {
  const client = kubeClient(kubeconfig, 'world');
  try {
    const annotations = { [AUDIT_LOG]: auditLog, [ETCD]: etcdUrl };
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: MARKER, annotations } });
  } finally {
    client.close();
  }
}

/** The cluster that `HEPHAISTO_TEST_KUBECONFIG` names, which stays as it is when the run ends. Throws WorldError unless it is marked. */
export async function borrowedControlPlane(path: string): Promise<ControlPlane> {
  if (!existsSync(path)) throw refused(`no file \`${path}\``);
  const text = readFileSync(path, 'utf8');
  const client = kubeClient(text, 'world');
  try {
    const marker = await client.get(NAMESPACES, undefined, MARKER).catch(() => undefined);
    if (marker === undefined) throw refused('none in it, or nobody who answers');
    const { server, certificateAuthority = '', token = '' } = clusterAccess(text);
    const { [AUDIT_LOG]: auditLog = '', [ETCD]: etcdUrl = '' } = marker.metadata.annotations ?? {};
    if (!existsSync(auditLog)) throw refused('one that does not say where the audit log is');
    return {
      server,
      port: Number(new URL(server).port),
      caPem: certificateAuthority,
      adminToken: token,
      auditLog,
      etcdUrl,
      restartApiServer: () => Promise.reject(notOurs('HEPHAISTO_TEST_KUBECONFIG')),
      stop: () => Promise.resolve(),
    };
  } finally {
    client.close();
  }
}

function refused(found: string): WorldError {
  return new WorldError(
    `expected HEPHAISTO_TEST_KUBECONFIG to name a cluster with the namespace \`${MARKER}\`, found ${found}; start one with \`npm run world -- up\``,
  );
}

/** The server that `HEPHAISTO_TEST_DATABASE_URL` names. Throws WorldError unless its database's name says that it is for tests. */
export function borrowedPostgres(named: string): Postgres {
  try {
    const url = serverUnderTest(named) ?? named;
    const refuse = () => Promise.reject(notOurs('HEPHAISTO_TEST_DATABASE_URL'));
    return { url, testUrl: url, start: refuse, stop: refuse };
  } catch (error: unknown) {
    throw new WorldError(error instanceof Error ? error.message : String(error));
  }
}

function notOurs(variable: string): WorldError {
  return new WorldError(
    `expected something that this run started itself, found what ${variable} names; run this without it`,
  );
}
