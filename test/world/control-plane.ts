import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { type Child, freePorts, startChild, waitReady } from './child.ts';

export interface ControlPlane {
  readonly server: string;
  readonly port: number;
  readonly caPem: string;
  readonly adminToken: string;
  readonly auditLog: string;
  readonly etcdUrl: string;
  restartApiServer(): Promise<void>;
  stop(): Promise<void>;
}

/** Every request leaves one line that names its user; writes carry their body, so that what was sent can be compared with what was promised. */
const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: ["system:apiserver", "system:kube-scheduler", "system:kube-controller-manager"]
- level: None
  userGroups: ["system:serviceaccounts:kube-system", "system:nodes"]
- level: Request
  verbs: [create, update, patch, delete, deletecollection]
- level: Metadata
`;

/** Starts etcd, the API server, the controller manager and the scheduler on free loopback ports, with their files below `folder`. */
export async function startControlPlane(binary: string, folder: string): Promise<ControlPlane> {
  const [etcdClient, etcdPeer, apiPort] = (await freePorts(3)) as [number, number, number];
  const files = writeFiles(folder);
  const etcdUrl = `http://127.0.0.1:${etcdClient}`;
  const etcd = startChild({
    name: 'etcd',
    command: binary,
    args: [
      'etcd',
      '--unsafe-no-fsync',
      '--data-dir',
      join(folder, 'etcd'),
      '--listen-client-urls',
      etcdUrl,
      '--advertise-client-urls',
      etcdUrl,
      '--listen-peer-urls',
      `http://127.0.0.1:${etcdPeer}`,
      '--initial-advertise-peer-urls',
      `http://127.0.0.1:${etcdPeer}`,
      '--initial-cluster',
      `default=http://127.0.0.1:${etcdPeer}`,
    ],
    logFile: join(folder, 'etcd.log'),
  });
  await waitReady(etcd, async () => (await fetch(`${etcdUrl}/health`)).ok, 30);
  const startApiServer = () =>
    startChild({
      name: 'kube-apiserver',
      command: binary,
      args: apiServerArgs(apiPort, etcdUrl, folder, files),
      logFile: join(folder, 'kube-apiserver.log'),
    });
  const isReady = () => probe(apiPort, files.adminToken);
  let apiServer = startApiServer();
  await waitReady(apiServer, isReady, 60);
  const caPem = readFileSync(join(folder, 'apiserver.crt'), 'utf8');
  const server = `https://127.0.0.1:${apiPort}`;
  const adminKubeconfig = join(folder, 'components.kubeconfig');
  writeFileSync(adminKubeconfig, kubeconfigText(server, caPem, files.adminToken), { mode: 0o600 });
  const others = startOthers(binary, folder, adminKubeconfig, files.serviceAccountKey);
  return {
    server,
    port: apiPort,
    caPem,
    adminToken: files.adminToken,
    auditLog: files.auditLog,
    etcdUrl,
    async restartApiServer() {
      await apiServer.stop('SIGKILL');
      apiServer = startApiServer();
      await waitReady(apiServer, isReady, 60);
    },
    async stop() {
      // The API server first: without etcd it hangs for a minute in its graceful stop.
      await Promise.all(others.map((child) => child.stop()));
      await apiServer.stop('SIGKILL');
      await etcd.stop('SIGKILL');
    },
  };
}

interface Files {
  readonly serviceAccountKey: string;
  readonly tokens: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly adminToken: string;
}

function writeFiles(folder: string): Files {
  const adminToken = randomBytes(24).toString('hex');
  const files = {
    serviceAccountKey: join(folder, 'service-account.key'),
    tokens: join(folder, 'tokens.csv'),
    auditPolicy: join(folder, 'audit-policy.yaml'),
    auditLog: join(folder, 'audit.log'),
    adminToken,
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(files.serviceAccountKey, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(files.tokens, `${adminToken},world-admin,world-admin,system:masters\n`, { mode: 0o600 });
  writeFileSync(files.auditPolicy, AUDIT_POLICY);
  return files;
}

function apiServerArgs(port: number, etcdUrl: string, folder: string, files: Files): readonly string[] {
  return [
    'kube-apiserver',
    '--etcd-servers',
    etcdUrl,
    '--secure-port',
    String(port),
    '--bind-address=127.0.0.1',
    '--cert-dir',
    folder,
    '--service-account-key-file',
    files.serviceAccountKey,
    '--service-account-signing-key-file',
    files.serviceAccountKey,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--token-auth-file',
    files.tokens,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--audit-policy-file',
    files.auditPolicy,
    '--audit-log-path',
    files.auditLog,
    '--audit-log-mode=blocking',
    '--endpoint-reconciler-type=none',
    '--kubelet-preferred-address-types=InternalIP',
    '--allow-privileged=false',
    '--shutdown-delay-duration=0s',
    '--feature-gates=WatchList=true',
  ];
}

/** Suites play many namespaces side by side; the defaults would make them wait for each other's pods. */
const UNTHROTTLED = ['--kube-api-qps=300', '--kube-api-burst=600'] as const;

function startOthers(binary: string, folder: string, kubeconfig: string, key: string): readonly Child[] {
  const [manager, scheduler] = ['kube-controller-manager', 'kube-scheduler'];
  return [
    startChild({
      name: manager ?? '',
      command: binary,
      args: [
        'kube-controller-manager',
        '--kubeconfig',
        kubeconfig,
        '--service-account-private-key-file',
        key,
        '--use-service-account-credentials',
        '--leader-elect=false',
        '--secure-port=0',
        '--root-ca-file',
        join(folder, 'apiserver.crt'),
        ...UNTHROTTLED,
      ],
      logFile: join(folder, 'kube-controller-manager.log'),
    }),
    startChild({
      name: scheduler ?? '',
      command: binary,
      args: ['kube-scheduler', '--kubeconfig', kubeconfig, '--leader-elect=false', '--secure-port=0', ...UNTHROTTLED],
      logFile: join(folder, 'kube-scheduler.log'),
    }),
  ];
}

function probe(port: number, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path: '/readyz',
        rejectUnauthorized: false,
        timeout: 2000,
        headers: { authorization: `Bearer ${token}` },
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    call.on('error', () => resolve(false));
    call.on('timeout', () => call.destroy());
    call.end();
  });
}

/** A kubeconfig for one bearer token. */
export function kubeconfigText(server: string, caPem: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'world', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'world', user: { token } }],
    contexts: [{ name: 'world', context: { cluster: 'world', user: 'world' } }],
    'current-context': 'world',
  });
}
