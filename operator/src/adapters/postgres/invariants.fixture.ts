import type { Database, Sql } from '@hephaisto/core/ports/database';

/** Ids of the rows that `plant` makes: one incident awaiting approval, with everything that led to it. */
export const ROW = {
  incident: '00000000-0000-7000-8000-000000000001',
  investigation: '00000000-0000-7000-8000-000000000002',
  step: '00000000-0000-7000-8000-000000000003',
  finding: '00000000-0000-7000-8000-000000000004',
  plan: '00000000-0000-7000-8000-000000000005',
  action: '00000000-0000-7000-8000-000000000006',
  proposal: '00000000-0000-7000-8000-000000000007',
  signal: '00000000-0000-7000-8000-000000000008',
  spare: '00000000-0000-7000-8000-000000000009',
  other: '00000000-0000-7000-8000-00000000000a',
} as const;

export const HASH = 'a'.repeat(64);
export const OTHER_HASH = 'b'.repeat(64);

/** Appends one transition to the log, as the incident log does. */
export function event(edge: string, from: string, to: string, seq: number, incident: string = ROW.incident): string {
  return `INSERT INTO incident_events (incident_id, cluster, seq, kind, edge, from_state, to_state, actor, origin)
          VALUES ('${incident}', 'c1', ${seq}, 'transition', '${edge}', '${from}', '${to}', 'alice', 'core')`;
}

export function incident(id: string, state: string, columns: Readonly<Record<string, string>> = {}): string {
  const row = {
    id: `'${id}'`,
    cluster: `'c1'`,
    fingerprint: `'${id === ROW.incident ? HASH : OTHER_HASH}'`,
    kind: `'CrashLoopBackOff'`,
    title: `'t'`,
    severity: `'critical'`,
    state: `'${state}'`,
    state_since: 'app_now()',
    first_signal_at: 'app_now()',
    last_signal_at: 'app_now()',
    ...columns,
  };
  return `INSERT INTO incidents (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')})`;
}

export function move(to: string, columns = ''): string {
  return `UPDATE incidents SET state = '${to}' ${columns} WHERE id = '${ROW.incident}'`;
}

export function vote(actor: string, decision: 'approve' | 'deny', digest: string = HASH): string {
  return `INSERT INTO approvals (id, proposal_id, decision, actor, source, subject_sha256)
          VALUES (gen_random_uuid(), '${ROW.proposal}', '${decision}', '${actor}', 'api', '${digest}')`;
}

export function attempt(n: number, phase: string, outcome: string): string {
  return `INSERT INTO action_attempts (id, action_id, phase, n, leader_epoch, request, outcome)
          VALUES (gen_random_uuid(), '${ROW.action}', '${phase}', ${n}, 1, '{}', '${outcome}')`;
}

export function action(id: string, key: string, state: string, cluster = 'c1'): string {
  return `INSERT INTO actions (id, cluster, plan_id, incident_id, ordinal, workload_namespace, workload_kind, workload_name, target_kind,
            target_name, target_uid, type, params, risk, state, idempotency_key)
          VALUES ('${id}', '${cluster}', '${ROW.plan}', '${ROW.incident}', ${key.length}, 'shop', 'Deployment', 'api', 'Deployment', 'api',
            'uid', 'RollbackWorkload', '{}', 'low', '${state}', '${key}')`;
}

export function proposal(id: string, revision: number, digest: string, state = 'Open'): string {
  return `INSERT INTO proposals (id, action_id, revision, canonical, digest, target_spec_sha256, policy_hash, quorum, state, proposed_by,
            expires_at, settled_at)
          VALUES ('${id}', '${ROW.action}', ${revision}, 'text', '${digest}', '${HASH}', '${HASH}', 2, '${state}', 'alice',
            app_now() + interval '1 hour', ${state === 'Open' ? 'NULL' : 'app_now()'})`;
}

const WORLD: readonly string[] = [
  `INSERT INTO clusters (id, is_local, display_name) VALUES ('c1', true, 'one'), ('c2', false, 'two')`,
  `INSERT INTO principals (subject, kind, display_name) VALUES ('alice', 'person', 'A'), ('bob', 'person', 'B'), ('carol', 'person', 'C')`,
  `INSERT INTO workloads (cluster, namespace, kind, name) VALUES ('c1', 'shop', 'Deployment', 'api'), ('c2', 'shop', 'Deployment', 'api')`,
  `INSERT INTO leases (kind, subject_key, run_id, epoch, holder, acquired_at, renewed_at, expires_at)
   VALUES ('leader', 'c1', '${ROW.spare}', 5, '{}', app_now(), app_now(), app_now())`,
  `INSERT INTO budgets VALUES ('actions', 'count', 3600, 10, 'refuse')`,
  `INSERT INTO audit_log (actor, origin, verb, subject_kind, subject_id) VALUES ('alice', 'api', 'close', 'incident', '1')`,
];

const INCIDENT: readonly string[] = [
  incident(ROW.incident, 'Detected'),
  event('I1', '', 'Detected', 1),
  event('I2', 'Detected', 'Triaging', 2),
  move('Triaging'),
  event('I5', 'Triaging', 'Investigating', 3),
  move('Investigating'),
  `INSERT INTO signals (id, cluster, source, external_key, kind, severity, reason, fingerprint, payload, status, received_at, last_seen_at,
     disposition, incident_id)
   VALUES ('${ROW.signal}', 'c1', 'k8s', 'key', 'CrashLoopBackOff', 'critical', 'r', '${HASH}', '{}', 'firing', app_now(), app_now(),
     'opened', '${ROW.incident}')`,
];

const CASE: readonly string[] = [
  `INSERT INTO investigations (id, cluster, incident_id, attempt, cause, executor, state, budget_steps, budget_usd, deadline_at)
   VALUES ('${ROW.investigation}', 'c1', '${ROW.incident}', 1, 'auto', 'Rules', 'Running', 25, 0, app_now())`,
  `INSERT INTO steps (id, cluster, investigation_id, attempt, epoch, ordinal, tool_call_id, tool_name, args, effect, status)
   VALUES ('${ROW.step}', 'c1', '${ROW.investigation}', 1, 1, 1, 'call', 'get', '{}', 'read', 'ok')`,
  `INSERT INTO findings (id, investigation_id, ordinal, category, statement, certainty, is_primary, status)
   VALUES ('${ROW.finding}', '${ROW.investigation}', 1, 'configuration', 's', 'proven', true, 'grounded')`,
  `INSERT INTO plans (id, cluster, incident_id, investigation_id, producer, raw, schema_version, status, cited_findings)
   VALUES ('${ROW.plan}', 'c1', '${ROW.incident}', '${ROW.investigation}', 'rules', '{}', 1, 'accepted', '{${ROW.finding}}')`,
  action(ROW.action, 'k', 'Proposed'),
  `UPDATE actions SET state = 'AwaitingApproval' WHERE id = '${ROW.action}'`,
  proposal(ROW.proposal, 1, HASH),
  event('I7', 'Investigating', 'AwaitingApproval', 4),
  move('AwaitingApproval'),
];

/** Makes the rows, in one transaction, through the same triggers as everybody. */
export async function plant(db: Database): Promise<void> {
  await db.transaction((tx) => runAll(tx, [...WORLD, ...INCIDENT, ...CASE]));
}

export async function runAll(tx: Sql, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await tx.execute(statement);
}
