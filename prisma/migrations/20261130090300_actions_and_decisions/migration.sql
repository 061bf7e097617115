CREATE TABLE actions (
  id uuid PRIMARY KEY,
  cluster text NOT NULL,
  plan_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  ordinal integer NOT NULL,
  workload_namespace text NOT NULL,              -- the row that admission locks
  workload_kind text NOT NULL,
  workload_name text NOT NULL,
  target_kind text NOT NULL,                     -- may be another object under it: a pod, a job, a node
  target_namespace text NOT NULL DEFAULT '',
  target_name text NOT NULL,
  target_uid text NOT NULL,
  type text NOT NULL,
  params jsonb NOT NULL,
  rollback_values jsonb,
  risk text NOT NULL CHECK (risk IN ('low', 'medium', 'high')),
  state text NOT NULL CHECK (state IN ('Proposed', 'Denied', 'AwaitingApproval', 'Approved', 'Rejected', 'ApprovalExpired', 'Admitted',
    'Refused', 'Unsupported', 'DryRunOk', 'DryRunFailed', 'Executing', 'Executed', 'Failed', 'Unknown', 'Verifying', 'Verified',
    'VerificationFailed', 'RollingBack', 'RolledBack', 'RollbackFailed', 'RollbackUnknown', 'Inconclusive', 'Withdrawn')),
  state_since timestamptz NOT NULL DEFAULT app_now(),
  mode text CHECK (mode IN ('off', 'observe', 'dryrun', 'approve', 'auto')),
  decision text CHECK (decision IN ('Allow', 'RequireApproval', 'Deny')),
  decision_reasons text[] NOT NULL DEFAULT '{}',
  policy_hash char(64),
  inverse jsonb,                                 -- typed, complete, stored before the call: replaces whole values, never merges
  pre_state jsonb,
  post_state jsonb,
  idempotency_key text NOT NULL UNIQUE,
  admitted_at timestamptz,
  executed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  UNIQUE (id, cluster),
  UNIQUE (plan_id, ordinal),
  FOREIGN KEY (plan_id, cluster) REFERENCES plans (id, cluster),
  FOREIGN KEY (incident_id, cluster) REFERENCES incidents (id, cluster),
  FOREIGN KEY (cluster, workload_namespace, workload_kind, workload_name) REFERENCES workloads (cluster, namespace, kind, name));
CREATE INDEX ix_action_workload ON actions (cluster, workload_namespace, workload_kind, workload_name, created_at DESC);
CREATE INDEX ix_action_incident ON actions (incident_id, created_at);
CREATE INDEX ix_action_due ON actions (state, state_since) WHERE state IN ('Proposed', 'Approved', 'Admitted', 'DryRunOk', 'Executing',
  'Executed', 'Unknown', 'Verifying', 'VerificationFailed', 'RollingBack', 'RollbackUnknown');

CREATE TABLE proposals (                         -- what is shown and decided; a changed world makes a new revision, never an edit
  id uuid PRIMARY KEY,
  action_id uuid NOT NULL REFERENCES actions,
  revision integer NOT NULL CHECK (revision > 0),
  canonical text NOT NULL,                       -- the exact bytes that are hashed
  digest char(64) NOT NULL UNIQUE,
  dry_run jsonb,
  target_spec_sha256 char(64) NOT NULL,
  policy_hash char(64) NOT NULL,
  gates jsonb NOT NULL DEFAULT '[]',             -- gate, verdict, code, sentence, measured value: what was asked when it was proposed
  quorum integer NOT NULL DEFAULT 1 CHECK (quorum BETWEEN 1 AND 2),
  state text NOT NULL CHECK (state IN ('Open', 'Approved', 'Denied', 'Expired', 'Superseded', 'Void')),
  void_reason text,
  proposed_by text NOT NULL REFERENCES principals,
  requested_by text REFERENCES principals,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  expires_at timestamptz NOT NULL,
  settled_at timestamptz,
  UNIQUE (action_id, revision),
  CONSTRAINT proposals_settled CHECK ((state = 'Open') = (settled_at IS NULL)),
  CONSTRAINT proposals_void_says_why CHECK (state <> 'Void' OR void_reason IS NOT NULL));
CREATE UNIQUE INDEX ux_proposal_open ON proposals (action_id) WHERE state = 'Open';
CREATE INDEX ix_proposal_expiry ON proposals (expires_at) WHERE state = 'Open';

CREATE TABLE approvals (                         -- votes: append-only, committed before anything runs, one a person a proposal
  id uuid PRIMARY KEY,
  proposal_id uuid REFERENCES proposals,
  codefix_attempt_id uuid UNIQUE,
  decision text NOT NULL CHECK (decision IN ('approve', 'deny')),
  actor text NOT NULL REFERENCES principals,
  source text NOT NULL CHECK (source IN ('console', 'api', 'teams', 'github_comment', 'github_reaction')),
  reason text,
  external_ref text UNIQUE,
  subject_sha256 char(64) NOT NULL,
  at timestamptz NOT NULL DEFAULT app_now(),
  UNIQUE (proposal_id, actor),
  CONSTRAINT approvals_one_subject CHECK (num_nonnulls(proposal_id, codefix_attempt_id) = 1));

CREATE TABLE action_attempts (                   -- row committed as 'started' before the API call
  id uuid PRIMARY KEY,
  action_id uuid NOT NULL REFERENCES actions,
  phase text NOT NULL CHECK (phase IN ('dry_run', 'execute', 'rollback')),
  n integer NOT NULL CHECK (n > 0),
  leader_epoch bigint NOT NULL,
  request jsonb NOT NULL,
  target_uid text,
  target_resource_version text,
  outcome text NOT NULL CHECK (outcome IN ('started', 'succeeded', 'rejected', 'unsupported', 'failed', 'unknown')),
  http_status integer,
  response jsonb,
  started_at timestamptz NOT NULL DEFAULT app_now(),
  finished_at timestamptz,
  gates jsonb NOT NULL DEFAULT '[]',
  readback_at timestamptz,
  readback text CHECK (readback IN ('applied', 'not_applied', 'inconclusive')),
  k8s_event text,
  UNIQUE (action_id, phase, n),
  CONSTRAINT action_attempts_dry_run_changes_nothing CHECK (outcome <> 'unknown' OR phase <> 'dry_run'));
CREATE UNIQUE INDEX ux_attempt_open ON action_attempts (action_id) WHERE outcome = 'started';
-- What may have taken effect is never sent again. Only an attempt that certainly changed nothing leaves room for another.
CREATE UNIQUE INDEX ux_attempt_effect ON action_attempts (action_id, phase)
  WHERE phase <> 'dry_run' AND outcome IN ('started', 'succeeded', 'unknown');

CREATE TABLE verifications (
  action_id uuid NOT NULL REFERENCES actions,
  subject text NOT NULL DEFAULT 'action' CHECK (subject IN ('action', 'rollback')),
  attempt integer NOT NULL CHECK (attempt BETWEEN 1 AND 3),
  question text NOT NULL CHECK (question IN ('obvious_break', 'converged', 'came_back', 'restored')),
  due_at timestamptz NOT NULL,
  ran_at timestamptz,
  result text CHECK (result IN ('Passed', 'Failed', 'Inconclusive')),
  predicates jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (action_id, subject, attempt),
  CONSTRAINT verifications_ran_has_result CHECK ((ran_at IS NULL) = (result IS NULL)));
CREATE INDEX ix_verification_due ON verifications (due_at) WHERE ran_at IS NULL;

CREATE TABLE workload_samples (                  -- what the pictures of readiness and restarts over time are drawn from; expires
  cluster text NOT NULL,
  namespace text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  at timestamptz NOT NULL,
  desired integer NOT NULL,
  ready integer NOT NULL,
  restarts integer NOT NULL,
  PRIMARY KEY (cluster, namespace, kind, name, at));
CREATE INDEX ix_workload_sample_at ON workload_samples (at);

-- Seeded from the state machines in code, as incident_edges is.
CREATE TABLE action_edges (edge text NOT NULL, from_state text NOT NULL DEFAULT '', to_state text NOT NULL,
  PRIMARY KEY (edge, from_state, to_state));
CREATE TABLE proposal_edges (edge text NOT NULL, from_state text NOT NULL DEFAULT '', to_state text NOT NULL,
  PRIMARY KEY (edge, from_state, to_state));
