import { createHash } from 'node:crypto';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { Cause, Certainty } from '@hephaisto/core/finding/finding';
import type { AlertStates } from '@hephaisto/core/ports/alerts';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import type { PolicyFileInput } from '@hephaisto/policy/policy-file';
import { addLocalCluster, type QuietDeps, quietDeps, TEST_CLUSTER } from '@hephaisto/test/stage-deps';
import { stringify } from 'yaml';
import { createLeases, requireEpoch } from '../../adapters/postgres/leases.ts';
import { createAdmitStage } from '../../flow/6-admit/stage.ts';
import { createActStage } from '../../flow/7-act/stage.ts';
import { createVerifyStage } from '../../flow/8-verify/stage.ts';
import type { Stage } from '../../flow/stage.ts';
import { writeHealthRow } from '../../sources/cluster/health-row.ts';
import type { HealthCounts } from '../../sources/cluster/health-tally.ts';
import { createSwitchBoard, type LocalArm } from '../../switches/board.ts';
import { seedSwitches } from '../../switches/seed.ts';
import { syncBudgets } from '../budgets.ts';
import type { ActingDeps, ActingSettings } from '../deps.ts';
import { type LoadedPolicy, readPolicy } from '../policy-source.ts';
import { FakeCluster } from './fake-cluster.ts';

export const WORKLOAD = { kind: 'Deployment', namespace: 'shop', name: 'checkout' };
export const PATCH: AnyActionRequest = {
  type: 'PatchResources',
  workload: WORKLOAD,
  target: { ...WORKLOAD, uid: 'uid-checkout' },
  params: { container: 'app', memoryLimitBytes: 256 * 2 ** 20 },
};
export const ROLLBACK: AnyActionRequest = {
  type: 'RollbackWorkload',
  workload: WORKLOAD,
  target: { ...WORKLOAD, uid: 'uid-checkout' },
  params: { fromRevision: 3, toRevision: 2 },
};
export const RESTART: AnyActionRequest = {
  type: 'RestartPod',
  workload: WORKLOAD,
  target: { kind: 'Pod', namespace: 'shop', name: 'checkout-a', uid: 'uid-checkout-a' },
  params: {},
};

export const PEOPLE = ['person:ada', 'person:bob', 'person:eve'] as const;

/** A policy that lets all this pass in mode auto; tests change what they are about. */
export function testPolicy(overrides: Partial<PolicyFileInput> = {}, rule: Record<string, unknown> = {}): LoadedPolicy {
  const reading = readPolicy(
    stringify({
      version: 1,
      namespaces: [
        {
          match: 'shop*',
          mode: 'auto',
          kinds: [
            'RollbackWorkload',
            'RestartPod',
            'RolloutRestart',
            'ScaleWorkload',
            'PatchResources',
            'DeleteStuckJob',
          ],
          bounds: { memory: { max: '1Gi', maxFactor: 4 }, replicas: { min: 1, max: 10 } },
          ...rule,
        },
      ],
      ...overrides,
    }),
  );
  if (reading.kind === 'refused') throw new Error(reading.message);
  return reading.loaded;
}

export interface World {
  readonly db: Database;
  readonly cluster: FakeCluster;
  readonly deps: ActingDeps & QuietDeps;
  readonly policy: { loaded: LoadedPolicy };
  readonly environment: { current: Record<string, string> };
  readonly configMap: { current: ReturnType<LocalArm['current']> };
  readonly alerts: { current: Awaited<ReturnType<AlertStates['stillFiring']>> };
  stages(): { readonly admit: Stage; readonly act: Stage; readonly verify: Stage };
  /** An incident that is being investigated, with a grounded finding and an action proposed by its plan. */
  propose(
    request: AnyActionRequest,
    how?: Proposed,
  ): Promise<{ readonly incidentId: string; readonly actionId: string }>;
  incident(id: string): Promise<{
    readonly state: string;
    readonly escalation_reason: string | null;
    readonly rollback_sub_reason: string | null;
    readonly resolution_source: string | null;
  }>;
  action(id: string): Promise<{ readonly state: string; readonly decision_reasons: string[] }>;
  openProposal(
    actionId: string,
  ): Promise<{ readonly id: string; readonly digest: string; readonly revision: number; readonly quorum: number }>;
}

export interface Proposed {
  readonly certainty?: Certainty;
  readonly cause?: Partial<Cause>;
  readonly recurrenceOf?: string;
}

/** Everything that acting needs, over one database; two worlds over the same one are two replicas. */
export async function makeWorld(
  db: Database,
  options: {
    readonly mode?: string;
    readonly cluster?: FakeCluster;
    readonly settings?: Partial<ActingSettings>;
    readonly policy?: LoadedPolicy;
  } = {},
): Promise<World> {
  const quiet = quietDeps(db);
  const cluster = options.cluster ?? new FakeCluster();
  const policy = { loaded: options.policy ?? testPolicy() };
  const environment = { current: {} as Record<string, string> };
  const configMap: World['configMap'] = { current: { kind: 'read', values: { agent_mode: 'auto' } } };
  const alerts: World['alerts'] = { current: { kind: 'answered', firing: [] } };
  await addLocalCluster(db);
  for (const subject of PEOPLE)
    await db.execute(
      `INSERT INTO principals (subject, kind, display_name) VALUES ($1, 'person', $1) ON CONFLICT DO NOTHING`,
      [subject],
    );
  await countHealth(db);
  await seedSwitches(db, 'observe');
  await db.execute(`UPDATE switches SET value = $1 WHERE name = 'agent_mode'`, [options.mode ?? 'auto']);
  await syncBudgets(db, policy.loaded.policy);
  const deps: World['deps'] = {
    ...quiet,
    leases: createLeases(db),
    requireEpoch,
    reader: cluster,
    writer: cluster,
    alerts: { stillFiring: () => Promise.resolve(alerts.current) },
    policy: { current: () => policy.loaded },
    switches: createSwitchBoard({
      environment: { current: () => ({ kind: 'read', values: environment.current }) },
      configMap: { current: () => configMap.current },
    }),
    selfNamespaces: ['hephaisto-system'],
    settings: {
      leaseTtlMs: 30_000,
      recheckMs: 0,
      readbackPausesMs: [0, 1],
      patienceMs: 0,
      restoredMs: [0, 0, 0],
      undoPatienceMs: 0,
      retryPausesMs: { first: 0, longest: 0 },
      removalPatienceMs: 60_000,
      failures: { first: 0, longest: 0, most: 3 },
      ...options.settings,
    },
  };
  return {
    db,
    cluster,
    deps,
    policy,
    environment,
    configMap,
    alerts,
    stages: () => ({ admit: createAdmitStage(deps), act: createActStage(deps), verify: createVerifyStage(deps) }),
    propose: (request, how = {}) => db.transaction((tx) => insertProposed(tx, deps, request, how)),
    incident: async (id) =>
      one(
        await db.query(
          'SELECT state, escalation_reason, rollback_sub_reason, resolution_source FROM incidents WHERE id = $1',
          [id],
        ),
      ),
    action: async (id) => one(await db.query('SELECT state, decision_reasons FROM actions WHERE id = $1', [id])),
    openProposal: async (id) =>
      one(
        await db.query(`SELECT id, digest, revision, quorum FROM proposals WHERE action_id = $1 AND state = 'Open'`, [
          id,
        ]),
      ),
  };
}

/** What the watch would count, for a test that may last longer than a count holds. */
export async function countHealth(db: Sql, counts: Partial<HealthCounts> = {}, at = '1 hour'): Promise<void> {
  const all = { pods: 4, unreadyPods: 1, nodes: 3, unreadyNodes: 0, ...counts };
  await writeHealthRow(db, { cluster: TEST_CLUSTER, namespaces: [], epoch: 1 }, all);
  await db.execute('UPDATE cluster_health SET counted_at = app_now() + $1::interval', [at]);
}

function one<T>(rows: readonly unknown[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('expected a row, found none');
  return row as T;
}

async function insertProposed(
  tx: Sql,
  deps: QuietDeps,
  request: AnyActionRequest,
  how: Proposed,
): Promise<{ incidentId: string; actionId: string }> {
  const incidentId = deps.ids.uuid();
  const by = { actor: SERVICE_PRINCIPALS.ingest, origin: 'core' } as const;
  const now = new Date();
  await deps.incidents.open(tx, {
    ...by,
    id: incidentId,
    cluster: TEST_CLUSTER,
    fingerprint: createHash('sha256').update(incidentId).digest('hex'),
    correlationKey: undefined,
    kind: 'CrashLoopBackOff',
    title: 'checkout crashes',
    severity: 'critical',
    namespace: request.workload.namespace,
    owner: request.workload,
    ownerChain: [],
    nodeName: undefined,
    isSelf: false,
    isMeta: false,
    recurrenceOf: how.recurrenceOf,
    firstSignalAt: now,
    lastSignalAt: now,
    reason: 'no-open-incident',
  });
  for (const edge of ['I2', 'I5'] as const)
    await deps.incidents.transition(tx, { ...by, incidentId, edge, reason: 'test' });
  const investigationId = deps.ids.uuid();
  await tx.execute(
    `INSERT INTO investigations (id, cluster, incident_id, attempt, cause, executor, state, budget_steps, budget_usd, deadline_at, ended_at)
     VALUES ($1, $2, $3, 1, 'auto', 'Rules', 'Concluded', 25, 0, app_now() + interval '10 min', app_now())`,
    [investigationId, TEST_CLUSTER, incidentId],
  );
  const findingId = deps.ids.uuid();
  await tx.execute(
    `INSERT INTO findings (id, investigation_id, ordinal, category, statement, certainty, cause, is_primary, status)
     VALUES ($1, $2, 0, 'configuration', 'it crashes', $3, $4::jsonb, true, 'grounded')`,
    [
      findingId,
      investigationId,
      how.certainty ?? 'proven',
      JSON.stringify(how.cause ?? { kind: 'rollout-change', revision: 3 }),
    ],
  );
  const planId = deps.ids.uuid();
  await tx.execute(
    `INSERT INTO plans (id, cluster, incident_id, investigation_id, producer, raw, schema_version, status, cited_findings)
     VALUES ($1, $2, $3, $4, 'rules', '{}', 1, 'accepted', ARRAY[$5]::uuid[])`,
    [planId, TEST_CLUSTER, incidentId, investigationId, findingId],
  );
  const { workload, target, type, params } = request;
  await tx.execute(
    'INSERT INTO workloads (cluster, namespace, kind, name) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [TEST_CLUSTER, workload.namespace, workload.kind, workload.name],
  );
  const actionId = deps.ids.uuid();
  await tx.execute(
    `INSERT INTO actions (id, cluster, plan_id, incident_id, ordinal, workload_namespace, workload_kind, workload_name, target_kind,
       target_namespace, target_name, target_uid, type, params, risk, state, idempotency_key)
     VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb, 'medium', 'Proposed', $14)`,
    [
      actionId,
      TEST_CLUSTER,
      planId,
      incidentId,
      workload.namespace,
      workload.kind,
      workload.name,
      target.kind,
      target.namespace,
      target.name,
      target.uid,
      type,
      JSON.stringify(params),
      `${planId}:0`,
    ],
  );
  return { incidentId, actionId };
}
