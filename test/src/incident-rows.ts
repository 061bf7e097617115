import { createHash } from 'node:crypto';
import type { IncidentState } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { systemClock } from '@hephaisto/operator/adapters/clock/clock';
import { createIds } from '@hephaisto/operator/adapters/ids/ids';
import { createIncidentLog } from '@hephaisto/operator/flow/incident-log/incident-log';
import type { TestDatabase } from './database.ts';

/** Rows as the stages would leave them, for tests of what reads them. */
const ids = createIds(systemClock);
const log = createIncidentLog({ ids, routes: [] });

export const TEST_CLUSTER = 'cluster-of-tests';

export interface IncidentSeed {
  readonly title?: string;
  readonly namespace?: string | undefined;
  readonly severity?: 'critical' | 'warning' | 'info';
  readonly owner?: string;
}

/** Opens an incident with one firing signal; its state is Detected. */
export async function insertIncident(db: TestDatabase, seed: IncidentSeed = {}): Promise<string> {
  const id = ids.uuid();
  const namespace = 'namespace' in seed ? seed.namespace : 'shop';
  const fingerprint = createHash('sha256').update(id).digest('hex');
  await db.execute(
    `INSERT INTO clusters (id, is_local, display_name) VALUES ($1, true, 'tests') ON CONFLICT DO NOTHING`,
    [TEST_CLUSTER],
  );
  await db.transaction(async (tx) => {
    await log.open(tx, {
      id,
      cluster: TEST_CLUSTER,
      fingerprint,
      correlationKey: undefined,
      kind: 'CrashLoopBackOff',
      title: seed.title ?? 'web crashes',
      severity: seed.severity ?? 'critical',
      namespace,
      owner: { kind: 'Deployment', name: seed.owner ?? 'web' },
      ownerChain: ['Pod/web-1', `Deployment/${seed.owner ?? 'web'}`],
      nodeName: undefined,
      isSelf: false,
      isMeta: false,
      recurrenceOf: undefined,
      firstSignalAt: new Date('2026-01-01T00:00:00Z'),
      lastSignalAt: new Date('2026-01-01T00:01:00Z'),
      reason: 'no-open-incident',
      actor: SERVICE_PRINCIPALS.ingest,
      origin: 'core',
    });
    await insertSignal(tx, { incidentId: id, fingerprint, namespace });
  });
  return id;
}

export async function insertSignal(
  tx: Sql,
  seed: {
    incidentId?: string;
    fingerprint?: string;
    namespace?: string | undefined;
    disposition?: string;
    reason?: string;
    words?: string;
  },
): Promise<string> {
  const id = ids.uuid();
  await tx.execute(
    `INSERT INTO signals (id, cluster, source, external_key, kind, severity, reason, namespace, owner_kind, owner_name, fingerprint, labels,
       payload, status, received_at, last_seen_at, occurrences, disposition, disposition_reason, incident_id)
     VALUES ($1::uuid, $2, 'k8s', $1::text, 'CrashLoopBackOff', 'critical', 'CrashLoopBackOff', $3, 'Deployment', 'web', $4, $8::jsonb, $9::jsonb, 'firing', app_now(), app_now(), 3, $5, $6, $7)`,
    [
      id,
      TEST_CLUSTER,
      seed.namespace ?? null,
      seed.fingerprint ?? 'f'.repeat(64),
      seed.disposition ?? 'opened',
      seed.reason ?? null,
      seed.incidentId ?? null,
      JSON.stringify({ app: seed.words ?? 'web' }),
      JSON.stringify({ message: seed.words ?? 'back-off restarting' }),
    ],
  );
  return id;
}

const PATH_TO: Readonly<Partial<Record<IncidentState, readonly string[]>>> = {
  Investigating: ['I2', 'I5'],
  AwaitingApproval: ['I2', 'I5', 'I7'],
  Escalated: ['I2', 'I5', 'I6'],
};

/** Moves a detected incident along the shortest legal way. */
export async function moveIncidentTo(db: TestDatabase, incidentId: string, state: IncidentState): Promise<void> {
  for (const edge of PATH_TO[state] ?? []) {
    await db.transaction(async (tx) => {
      const moved = await log.transition(tx, {
        incidentId,
        edge: edge as 'I2',
        reason: 'test',
        actor: SERVICE_PRINCIPALS.triage,
        origin: 'core',
        ...(edge === 'I6' ? { escalationReason: 'NoPlanProduced' } : {}),
      });
      if (moved.kind === 'refused') throw new Error(moved.message);
    });
  }
}

/** Notes something on the incident, which is one event of the stream. */
export async function noteOn(db: TestDatabase, incidentId: string, text: string): Promise<void> {
  await db.transaction((tx) =>
    log.note(tx, { incidentId, kind: 'note', reason: 'said', data: { text }, actor: 'ana', origin: 'api' }),
  );
}

export interface InvestigationSeed {
  readonly stepText: string;
  readonly raw?: Uint8Array;
  readonly statement?: string;
}

export interface InvestigatedRows {
  readonly investigationId: string;
  readonly stepId: string;
  readonly findingId: string;
}

/** A concluded look by rules: one step, a proven finding that cites it and one that was dropped. */
export async function insertInvestigation(
  db: TestDatabase,
  incidentId: string,
  seed: InvestigationSeed,
): Promise<InvestigatedRows> {
  const [investigationId, stepId, findingId, droppedId] = [ids.uuid(), ids.uuid(), ids.uuid(), ids.uuid()];
  const gap = {
    source: 'k8s',
    query: 'logs web-1',
    reason: 'forbidden',
    message: 'pods/log',
    wouldHaveTold: 'the last words',
  };
  const cause = {
    kind: 'rollout-change',
    changedAt: '2026-01-01T00:00:00.000Z',
    revision: 2,
    previousRevision: 1,
    changes: [{ path: 'env[DB_HOST].value', from: 'db', to: 'db-new' }],
    decisive: { path: 'env[DB_HOST].value' },
  };
  await db.transaction(async (tx) => {
    await tx.execute(
      `INSERT INTO investigations (id, cluster, incident_id, attempt, cause, executor, state, budget_steps, steps_used, budget_usd, gaps,
         deadline_at, started_at, ended_at) VALUES ($1, $2, $3, 1, 'auto', 'Rules', 'Concluded', 25, 1, 0, $4::jsonb, app_now(), app_now(), app_now())`,
      [investigationId, TEST_CLUSTER, incidentId, JSON.stringify([gap])],
    );
    await tx.execute(
      `INSERT INTO steps (id, cluster, investigation_id, attempt, epoch, ordinal, tool_call_id, tool_name, args, effect, status, result_text,
         result_sha256, raw_bytes, finished_at) VALUES ($1, $2, $3, 1, 1, 1, 'c1', 'pod_logs', '{"pod":"web-1"}', 'read', 'ok', $4, $5, 10, app_now())`,
      [stepId, TEST_CLUSTER, investigationId, seed.stepText, createHash('sha256').update(seed.stepText).digest('hex')],
    );
    if (seed.raw !== undefined)
      await tx.execute(
        `INSERT INTO evidence_blobs (id, step_id, sha256, content, encoding, content_type, byte_size)
         VALUES ($1, $2, $3, $4, 'identity', 'text/html', $5)`,
        [ids.uuid(), stepId, createHash('sha256').update(seed.raw).digest('hex'), seed.raw, seed.raw.length],
      );
    await tx.execute(
      `INSERT INTO findings (id, investigation_id, ordinal, category, statement, certainty, rule, cause, is_primary, status, drop_reason)
       VALUES ($1, $3, 1, 'configuration', $4, 'proven', 'rollout-crash', $5::jsonb, true, 'grounded', NULL),
         ($2, $3, 2, 'capacity', 'the node is full', 'possible', 'node', '{}', false, 'dropped', 'not_substring')`,
      [findingId, droppedId, investigationId, seed.statement ?? 'revision 2 set DB_HOST', JSON.stringify(cause)],
    );
    await tx.execute(
      `INSERT INTO finding_evidence (id, finding_id, step_id, cited_step, excerpt, accepted, reject_reason)
       VALUES ($1, $2, $3::uuid, $3::text, $4, true, NULL), ($5, $6, NULL::uuid, 's9', 'never read', false, 'unknown_step')`,
      [ids.uuid(), findingId, stepId, seed.stepText.slice(0, 40), ids.uuid(), droppedId],
    );
  });
  return { investigationId, stepId, findingId };
}

export interface ProposedRows {
  readonly actionId: string;
  readonly proposalId: string;
  readonly digest: string;
}

export interface ProposalSeed {
  /** How long it is open, as the database reads a length of time. */
  readonly life?: string;
  /** Stands for every word that is not the product's own. */
  readonly words?: string;
  /** How many fields the change writes. */
  readonly fields?: number;
}

/** An open proposal to roll back, with gates and one verification due. The incident must be awaiting approval for commands to take it. */
export async function insertProposal(
  db: TestDatabase,
  incidentId: string,
  investigationId: string,
  quorum: 1 | 2 = 1,
  { life = '1 hour', words, fields = 1 }: ProposalSeed = {},
): Promise<ProposedRows> {
  const [planId, actionId, proposalId] = [ids.uuid(), ids.uuid(), ids.uuid()];
  const canonical = JSON.stringify({
    diff: Array.from({ length: fields }, (_, n) => ({
      path: words ?? `spec.template.spec.containers[app].env[DB_HOST${n === 0 ? '' : `_${n}`}].value`,
      from: words ?? 'db-new',
      to: words ?? 'db',
    })),
    ...(words === undefined ? {} : { byHand: [words] }),
    proposal: proposalId,
  });
  const digest = createHash('sha256').update(canonical).digest('hex');
  const gate = {
    gate: 'ModeAsks',
    verdict: 'ask',
    code: 'approve_mode',
    message: words ?? 'a person decides',
    measured: { mode: 'approve' },
  };
  await db.transaction(async (tx) => {
    await tx.execute(
      `INSERT INTO workloads (cluster, namespace, kind, name) VALUES ($1, 'shop', 'Deployment', 'web') ON CONFLICT DO NOTHING`,
      [TEST_CLUSTER],
    );
    await tx.execute(
      `INSERT INTO plans (id, cluster, incident_id, investigation_id, producer, raw, schema_version, status, cited_findings)
       VALUES ($1, $2, $3, $4, 'rules', '{}', 1, 'accepted', '{}')`,
      [planId, TEST_CLUSTER, incidentId, investigationId],
    );
    await tx.execute(
      `INSERT INTO actions (id, cluster, plan_id, incident_id, ordinal, workload_namespace, workload_kind, workload_name, target_kind,
         target_namespace, target_name, target_uid, type, params, risk, state, idempotency_key)
       VALUES ($1::uuid, $2, $3, $4, 1, 'shop', 'Deployment', 'web', 'Deployment', 'shop', 'web', 'u1', 'RollbackWorkload',
         '{"fromRevision":2,"toRevision":1}', 'medium', 'Proposed', $1::text)`,
      [actionId, TEST_CLUSTER, planId, incidentId],
    );
    await tx.execute(`UPDATE actions SET state = 'AwaitingApproval', decision = 'RequireApproval' WHERE id = $1`, [
      actionId,
    ]);
    await tx.execute(
      `INSERT INTO proposals (id, action_id, revision, canonical, digest, target_spec_sha256, policy_hash, gates, quorum, state, proposed_by,
         expires_at) VALUES ($1, $2, 1, $3, $4, $5, $5, $6::jsonb, $7, 'Open', $8, app_now() + $9::interval)`,
      [
        proposalId,
        actionId,
        canonical,
        digest,
        'a'.repeat(64),
        JSON.stringify([gate]),
        quorum,
        SERVICE_PRINCIPALS.policy,
        life,
      ],
    );
    await tx.execute(
      `INSERT INTO verifications (action_id, attempt, question, due_at) VALUES ($1, 1, 'obvious_break', app_now())`,
      [actionId],
    );
  });
  return { actionId, proposalId, digest };
}
