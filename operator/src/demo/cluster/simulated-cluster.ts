import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Ids, Timers } from '@hephaisto/core/ports/clock';
import { systemTimers } from '../../adapters/clock/clock.ts';
import { seedRoles } from './access/seeded-roles.ts';
import { createTokens, type TokenSubject } from './access/tokens.ts';
import { applyDefaults } from './admission/defaults.ts';
import { createListPages } from './api/list.ts';
import type { RequestInfo } from './api/request-info.ts';
import { createWatchHub } from './api/watch.ts';
import { createApiServer } from './api-server.ts';
import { makeServingCertificate } from './certificates.ts';
import { createFaults, type Faults } from './faults.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { createMemoryStore } from './memory-store.ts';
import { keepNamespaceContent } from './namespace-content.ts';
import { createRequestRecords, type RequestRecords } from './request-record.ts';
import type { MemoryStore } from './store.ts';

export interface SimulatedClusterOptions {
  /** A free one when absent. */
  readonly port?: number;
  readonly now: () => Date;
  readonly ids: Ids;
  /** Uid of the namespace `kube-system`, by which a cluster is known; a new one when absent. */
  readonly clusterId?: string;
  readonly timers?: Timers;
  /** Between two bookmarks of a watch that allows them; 30 s when absent. */
  readonly bookmarkMilliseconds?: number;
  /** How many events a late watch may still ask for. */
  readonly window?: number;
  /** How a watch from too far back is refused; `stream`, as real API servers do, when absent. */
  readonly expiredWatch?: 'stream' | 'status';
}

/** A running API server with its storage. Everything that reaches into it other than by HTTPS is for its own process. */
export interface SimulatedCluster {
  readonly url: string;
  readonly port: number;
  readonly caPem: string;
  readonly store: MemoryStore;
  readonly requests: RequestRecords;
  readonly faults: Faults;
  /** A bearer token, good for a day when no life is given. */
  mintToken(subject: TokenSubject, lifeSeconds?: number): string;
  /** YAML with a token of its own for that subject. */
  kubeconfigFor(subject: TokenSubject, lifeSeconds?: number): string;
  /** Forgets the past: watches and pages that start before now are told 410. */
  compact(): void;
  /** Sends open watches a 410 in the stream; answers how many there were. */
  expireWatches(matches?: (request: RequestInfo) => boolean): number;
  /** Breaks open watches in the middle of a line; answers how many there were. */
  cutWatches(matches?: (request: RequestInfo) => boolean): number;
  openWatches(): number;
  close(): Promise<void>;
}

/** An authority that groups are bound to by every cluster: for whoever sets the stage. */
export const ADMIN: TokenSubject = { username: 'kubernetes-admin', groups: ['system:masters'] };

const CLOSING_MILLISECONDS = 100;

/** Starts on 127.0.0.1. Rejects with the system's error when the port is taken. */
export async function startSimulatedCluster(options: SimulatedClusterOptions): Promise<SimulatedCluster> {
  const { now, ids } = options;
  const timers = options.timers ?? systemTimers;
  // Later runs count from higher up, so that who comes with a revision of an earlier run hears that it is too old.
  const firstRevision = Math.max(1, now().getTime());
  const window = options.window === undefined ? {} : { window: options.window };
  const { clusterId } = options;
  const fixed =
    clusterId === undefined
      ? {}
      : {
          fixedUid: ({ resource }: { resource: string }, name: string) =>
            resource === 'namespaces' && name === 'kube-system' ? clusterId : undefined,
        };
  const store = createMemoryStore({ now, ids, firstRevision, complete: applyDefaults, ...window, ...fixed });
  const certificate = await makeServingCertificate('simulated-cluster', new Date());
  seedRoles(store);
  const stopFilling = keepNamespaceContent(store, certificate.caPem);
  const tokens = createTokens({ store, now, ids });
  const pages = createListPages(ids);
  const watches = createWatchHub({ timers, bookmarkMilliseconds: options.bookmarkMilliseconds ?? 30_000 });
  const { faults, take } = createFaults();
  const { note, records } = createRequestRecords();
  const context = { store, tokens, now, ids, timers, watches, pages, expiredWatch: options.expiredWatch ?? 'stream' };
  const api = createApiServer({ context, takeFault: take, note });

  const server = createServer({ cert: certificate.certificatePem, key: certificate.keyPem }, (request, response) => {
    void api.serve(request, response);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const { caPem } = certificate;
  let closing: Promise<void> | undefined;

  function close(): Promise<void> {
    closing ??= new Promise((resolve) => {
      stopFilling();
      watches.close();
      // What hangs on purpose would otherwise keep the server from closing; watches get the time to end in good order.
      const cancel = timers.after(CLOSING_MILLISECONDS, () => server.closeAllConnections());
      server.close(() => {
        cancel();
        resolve();
      });
    });
    return closing;
  }

  return {
    url,
    port,
    caPem,
    store,
    requests: records,
    faults,
    mintToken: (subject, life) => tokens.issue(subject, life).token,
    kubeconfigFor: (subject, life) =>
      kubeconfigText({ url, caPem }, { name: subjectName(subject), token: tokens.issue(subject, life).token }),
    compact() {
      store.compact();
      pages.clear();
    },
    expireWatches: (matches = () => true) => watches.expire(matches),
    cutWatches: (matches = () => true) => watches.cut(matches),
    openWatches: () => watches.open(),
    close,
  };
}

function subjectName(subject: TokenSubject): string {
  return 'username' in subject
    ? subject.username
    : `${subject.serviceAccount.namespace}:${subject.serviceAccount.name}`;
}
