import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeServingCertificate } from '../../operator/src/demo/cluster/certificates.ts';
import { type AlertingPart, startAlertmanager, startPrometheus } from './alerting.ts';
import { controlPlaneBinaries } from './binaries.ts';
import { borrowedControlPlane, borrowedPostgres } from './borrowed.ts';
import { type ControlPlane, kubeconfigText, startControlPlane } from './control-plane.ts';
import { openWorldFolder } from './folder.ts';
import { ensurePackages } from './packages.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { type FaultProxy, startProxy } from './proxy.ts';

/** Which parts a suite needs; a part left out is not started and its fields are absent. */
export interface WorldParts {
  readonly cluster: boolean;
  readonly postgres: boolean;
  readonly alerting: boolean;
}

export interface World {
  readonly folder: string;
  /** Path of the administrator's kubeconfig, straight to the API server. */
  readonly kubeconfig?: string;
  readonly controlPlane?: ControlPlane;
  readonly binaries?: Awaited<ReturnType<typeof controlPlaneBinaries>>;
  readonly proxy?: FaultProxy;
  /** CA of the proxy's certificate. */
  readonly proxyCaPem?: string;
  readonly postgres?: Postgres;
  readonly alertmanager?: AlertingPart;
  readonly prometheus?: AlertingPart;
  stop(): Promise<void>;
}

export const ALL_PARTS: WorldParts = { cluster: true, postgres: true, alerting: true };

/** Starts the parts side by side, in a new folder below the system's temporary one; `stop` leaves nothing behind. */
export async function startWorld(parts: WorldParts, say: (line: string) => void): Promise<World> {
  const own = openWorldFolder();
  const folder = own.path;
  const stops: (() => Promise<void> | void)[] = [];
  async function stop(): Promise<void> {
    for (const end of stops.splice(0).reverse()) await end();
    own.remove();
  }
  try {
    const [cluster, postgres, alerting] = await Promise.all([
      parts.cluster ? startCluster(folder, stops, say) : undefined,
      parts.postgres ? startDatabase(folder, stops, say) : undefined,
      parts.alerting ? startAlerting(folder, stops, say) : undefined,
    ]);
    return { folder, ...cluster, ...postgres, ...alerting, stop };
  } catch (error: unknown) {
    await stop();
    throw error;
  }
}

type Stops = (() => Promise<void> | void)[];

async function startCluster(folder: string, stops: Stops, say: (line: string) => void) {
  const binaries = await controlPlaneBinaries(say);
  const borrowed = process.env.HEPHAISTO_TEST_KUBECONFIG;
  say(borrowed === undefined ? 'starting the control plane' : `using the cluster of ${borrowed}`);
  const controlPlane =
    borrowed === undefined ? await startControlPlane(binaries.cluster, folder) : await borrowedControlPlane(borrowed);
  stops.push(() => controlPlane.stop());
  const kubeconfig = join(folder, 'admin.kubeconfig');
  writeFileSync(kubeconfig, kubeconfigText(controlPlane.server, controlPlane.caPem, controlPlane.adminToken), {
    mode: 0o600,
  });
  const certificate = await makeServingCertificate('world-proxy', new Date());
  const proxy = await startProxy(controlPlane.server, { key: certificate.keyPem, cert: certificate.certificatePem });
  stops.push(() => proxy.close());
  return { binaries, controlPlane, kubeconfig, proxy, proxyCaPem: certificate.caPem };
}

async function startDatabase(folder: string, stops: Stops, say: (line: string) => void) {
  const borrowed = process.env.HEPHAISTO_TEST_DATABASE_URL;
  if (borrowed !== undefined) return { postgres: borrowedPostgres(borrowed) };
  say('starting PostgreSQL');
  const postgres = await startPostgres(folder, say);
  stops.push(() => postgres.stop());
  return { postgres };
}

async function startAlerting(folder: string, stops: Stops, say: (line: string) => void) {
  ensurePackages(['prometheus', 'prometheus-alertmanager'], say);
  say('starting Alertmanager and Prometheus');
  const alertmanager = await startAlertmanager(folder);
  stops.push(() => alertmanager.stop());
  const prometheus = await startPrometheus(folder, alertmanager.url);
  stops.push(() => prometheus.stop());
  return { alertmanager, prometheus };
}
