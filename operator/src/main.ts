import { hostname } from 'node:os';
import { joinBasePath } from '@hephaisto/core/base-path';
import { FIRST_ADMIN, makesFirstAdmin } from '@hephaisto/core/config/contradictions';
import type { Config } from '@hephaisto/core/config/schema';
import { redactText } from '@hephaisto/core/evidence/redact';
import type { Database } from '@hephaisto/core/ports/database';
import { type FaultPoints, NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { EMERGENCY_STOP } from '@hephaisto/core/switches/arms';
import { syncBudgets } from './act/budgets.ts';
import type { ActingSettings } from './act/deps.ts';
import { systemClock, systemTimers } from './adapters/clock/clock.ts';
import { createIds } from './adapters/ids/ids.ts';
import { createKubeReader } from './adapters/kube/reader.ts';
import { createLogger } from './adapters/log/logger.ts';
import { createMetrics } from './adapters/metrics/metrics.ts';
import { createLeases, requireEpoch } from './adapters/postgres/leases.ts';
import { migrate } from './adapters/postgres/migrate.ts';
import { isProcessAlive } from './adapters/process/is-process-alive.ts';
import { createTracer } from './adapters/tracing/tracer.ts';
import { createSignInLink } from './api/auth/sessions.ts';
import type { ApiExtension } from './api/extension.ts';
import { type ApiServer, startApi } from './api/server.ts';
import { announcePolicy } from './boot/announce-policy.ts';
import { createPatientConnection } from './boot/patient-connection.ts';
import { seedPrincipals } from './boot/seed.ts';
import { createIncidentLog } from './flow/incident-log/incident-log.ts';
import { createStageBoard, runStages, type StageDeps } from './flow/stage.ts';
import { createHttpClient } from './http/client.ts';
import { registerCluster } from './sources/cluster/cluster-id.ts';
import { receiveAlertmanager } from './sources/receive-alertmanager.ts';
import { overallMode } from './switches/board.ts';
import { seedSwitches } from './switches/seed.ts';
import { VERSION } from './version.ts';
import { actingStages, createActing } from './wiring/acting.ts';
import { refuseOverPrivilege } from './wiring/boot-check.ts';
import { connectCluster, createTokenReview, readClusterId } from './wiring/cluster.ts';
import { createCommands } from './wiring/commands.ts';
import { requireFreePort } from './wiring/free-port.ts';
import { exposeWithGauges } from './wiring/gauges.ts';
import { readComponents, readReadiness } from './wiring/health.ts';
import { CLAIM_TIMES, createUnderLease, LEADER_TIMES, type LeaseTimes } from './wiring/held-lease.ts';
import { startHousekeeping } from './wiring/housekeeping.ts';
import { startMetricsServer } from './wiring/metrics-server.ts';
import { openModel, openTools } from './wiring/model.ts';
import { createPipeline } from './wiring/pipeline.ts';
import { loadPolicy } from './wiring/policy.ts';
import { notifyRoutes } from './wiring/routes.ts';
import { openStorage } from './wiring/storage.ts';
import { listSwitches, openSwitches } from './wiring/switches.ts';
import { createTeardown } from './wiring/teardown.ts';
import { startWatch } from './wiring/watch.ts';

/** What whoever starts the operator in process may replace. Everything else comes from the configuration. */
export interface OperatorOverrides {
  /** A kubeconfig as text, instead of what `kubernetes` names. */
  readonly kubeconfigYaml?: string;
  /** A policy as text, instead of `acting.policyFile`. */
  readonly policyText?: string;
  /** Shortened waits of acting. */
  readonly actingSettings?: Partial<ActingSettings>;
  /** An open database that is not closed with the operator. */
  readonly database?: Database;
  readonly faults?: FaultPoints;
  /** Shorter lives of the leases of leadership and of claimed work. */
  readonly leaseTimes?: LeaseTimes;
  /** Receives log lines; stderr when absent. */
  readonly writeLog?: (line: string) => void;
  /** Further routes of the HTTP server, the console's among them. */
  readonly extensions?: readonly ApiExtension[];
  /** Told what takes long; one lower-case sentence. */
  readonly onProgress?: (message: string) => void;
}

export interface Operator {
  /** With the port that was really taken. */
  readonly url: string;
  readonly port: number;
  readonly metricsUrl: string | undefined;
  readonly cluster: string;
  readonly db: Database;
  /** The account that the printed link is for; undefined where none is printed. */
  readonly firstAdmin: string | undefined;
  /** A one-time link for a known person. */
  signInUrl(subject: string): Promise<string>;
  /** Stops taking work, waits for what is under way, closes everything in the reverse order of its start. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts everything in the order in which one part needs another, and closes it in the reverse order when something later fails.
 * One function on purpose: the order is the point, and reading it from top to bottom is how it is checked.
 * Rejects with `StorageRefused`, `ClusterUnreachable`, `PolicyRefused`, `OverPrivileged` or the listener's system error.
 */
export async function startOperator(config: Config, overrides: OperatorOverrides = {}): Promise<Operator> {
  const { clock, timers, ids } = { clock: systemClock, timers: systemTimers, ids: createIds(systemClock) };
  const tracing = await createTracer(config.telemetry.otlpEndpoint, VERSION);
  const log = createLogger('hephaisto', {
    level: config.telemetry.logLevel,
    redact: redactText,
    write: overrides.writeLog ?? ((line) => void process.stderr.write(line)),
    traceId: tracing.traceId,
  });
  const metrics = createMetrics(VERSION);
  const progress = overrides.onProgress ?? (() => undefined);
  const teardown = createTeardown(log);
  teardown.add('tracing', tracing.close);
  try {
    const faults = overrides.faults ?? NO_FAULTS;
    await requireFreePort(config.server.host, config.server.port);
    const policy = await loadPolicy(config.acting.policyFile, overrides.policyText);
    metrics.gauge('policy_info', 1, { hash: policy.current().hash });

    const db = overrides.database ?? (await openStorage(config.database, log, progress));
    if (overrides.database === undefined) teardown.add('database', () => db.close());
    await migrate(db, { onProgress: progress });
    const firstAdmin = makesFirstAdmin(config);
    await seedPrincipals(db, config.auth.people, firstAdmin);
    await seedSwitches(db, config.acting.initialMode);
    await syncBudgets(db, policy.current().policy);
    await announcePolicy(db, policy.current().hash);
    await faults.hit('boot:seeded');

    const connection = await connectCluster(config.kubernetes, overrides.kubeconfigYaml, log);
    teardown.add('cluster connection', () => connection.close());
    const patient = createPatientConnection(connection, { timers, log });
    const cluster = await readClusterId(patient);
    await registerCluster(db, {
      id: cluster,
      displayName: config.kubernetes.displayName,
      aliases: config.kubernetes.aliases,
    });
    await faults.hit('boot:cluster-registered');
    await refuseOverPrivilege(patient, policy.current().policy, config.ingest.ownNamespaces, log);

    const holder = { pod: hostname(), bootId: ids.uuid(), pid: String(process.pid) };
    const incidents = createIncidentLog({ ids, metrics, routes: notifyRoutes(config.notify) });
    const { tracer } = tracing;
    const deps: StageDeps = {
      db,
      clock,
      timers,
      ids,
      log,
      metrics,
      tracer,
      faults,
      incidents,
      holder,
      isAlive: isProcessAlive,
    };
    const leases = createLeases(db);
    const random = Math.random;
    const reader = createKubeReader(connection);
    const switches = openSwitches(deps, config.acting, connection, random);
    teardown.add('switches', () => switches.configMap.close());
    await switches.configMap.ready;

    const http = createHttpClient();
    teardown.add('http', http.close);
    const acting = createActing(deps, {
      http,
      config,
      connection,
      reader,
      leases,
      requireEpoch,
      policy,
      switches: switches.board,
      settings: overrides.actingSettings ?? {},
    });
    const holding = { leases, ids, timers, log, holder };
    let source: ReturnType<typeof startWatch>;
    const stageBoard = createStageBoard();
    const health = () => ({
      stages: stageBoard,
      config,
      db,
      source,
      board: switches.board,
      policyGiven: overrides.policyText !== undefined,
    });
    const expose = () =>
      exposeWithGauges(metrics, {
        db,
        source,
        stopped: async () =>
          (await listSwitches(switches.board, db)).some(
            (each) => each.name === EMERGENCY_STOP && each.effective === 'on',
          ),
      });
    const { token } = config.server.alertmanager;
    const api: ApiServer = await startApi({
      db,
      clock,
      timers,
      ids,
      log,
      metrics,
      tracer,
      config,
      version: VERSION,
      commands: createCommands(acting),
      receiveWebhook: ({ body, sender, traceparent }) =>
        receiveAlertmanager(
          { db, timers, log, metrics, faults, random },
          { body, sender, traceparent, maxBytes: config.ingest.alerts.maxBodyMib * 1024 * 1024 },
        ),
      ...(token === undefined ? {} : { webhookToken: token }),
      switches: () => listSwitches(switches.board, db),
      components: () => readComponents(health()),
      readiness: () => readReadiness(health()),
      policyHash: () => policy.current().hash,
      reviewToken: createTokenReview(connection, config.auth.tokenReview.audiences),
      exposeMetrics: expose,
      ...(overrides.extensions === undefined ? {} : { extensions: overrides.extensions }),
    });
    teardown.add('api', api.close);
    const metricsServer = await startMetricsServer(config.server, expose);
    teardown.add('metrics', metricsServer.close);
    const publicUrl = () => config.server.publicUrl ?? api.url;

    const underLease = createUnderLease(holding, overrides.leaseTimes ?? CLAIM_TIMES);
    const tools = openTools(deps.clock, http, config);
    const model = await openModel(
      { ...deps, requireEpoch, underLease, random, tools, settleMs: config.investigation.settle },
      config.model,
      config.kubernetes.displayName,
    );
    teardown.add('model', model.close);
    const pipeline = createPipeline(deps, {
      http,
      config,
      cluster,
      connection,
      reader,
      requireEpoch,
      underLease,
      model,
      tools,
      agentMode: async () => (await overallMode(switches.board, db)).mode,
      random,
      publicUrl,
    });
    const stages = await runStages([...pipeline, ...actingStages(acting)], deps, stageBoard);
    teardown.add('stages', stages.close);
    teardown.add('housekeeping', startHousekeeping(deps).close);

    source = startWatch(deps, {
      config: config.ingest,
      cluster,
      connection,
      requireEpoch,
      underLease: createUnderLease(holding, overrides.leaseTimes ?? LEADER_TIMES),
      random,
    });
    const watching = source;
    if (watching !== undefined) teardown.add('watch', watching.close);
    log.info('started', { url: api.url, cluster, database: db.kind, version: VERSION });

    return {
      url: api.url,
      port: api.port,
      metricsUrl: metricsServer.url,
      cluster,
      db,
      firstAdmin: firstAdmin ? FIRST_ADMIN : undefined,
      signInUrl: async (subject) =>
        joinBasePath(
          publicUrl(),
          `/sign-in?token=${await createSignInLink(db, ids, { subject, madeBy: null, lifeMs: config.auth.signInLinkLife })}`,
        ).href,
      close: teardown.close,
    };
  } catch (error: unknown) {
    await teardown.close();
    throw error;
  }
}
