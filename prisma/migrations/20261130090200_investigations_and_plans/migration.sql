CREATE TABLE investigations (
  id uuid PRIMARY KEY,
  cluster text NOT NULL,
  incident_id uuid NOT NULL,
  attempt integer NOT NULL CHECK (attempt > 0),
  cause text NOT NULL CHECK (cause IN ('auto', 'reinvestigate', 'requeue', 'fallback', 'rules-inconclusive')),
  executor text NOT NULL CHECK (executor IN ('Rules', 'InProcess', 'Job', 'JobFallback')),
  turn_id uuid,                                  -- an investigation by rules has no turn and no model cost
  state text NOT NULL CHECK (state IN ('Queued', 'Running', 'Concluded', 'NoConclusion', 'BudgetExhausted', 'Faulted', 'Stopped')),
  budget_steps integer NOT NULL,
  steps_used integer NOT NULL DEFAULT 0,
  budget_usd numeric(12,6) NOT NULL,
  cost_usd numeric(12,6) NOT NULL DEFAULT 0,
  grace_used boolean NOT NULL DEFAULT false,
  gaps jsonb NOT NULL DEFAULT '[]',              -- what could not be read: source, query, reason code, what it would have told
  confidence numeric(4,3),
  deadline_at timestamptz NOT NULL,
  end_reason text,
  job_name text,
  job_token_sha256 bytea CHECK (octet_length(job_token_sha256) = 32),
  job_token_expires_at timestamptz,
  concluded_at timestamptz,
  plan_window_until timestamptz,
  plan_proposed boolean NOT NULL DEFAULT false,
  source_commit text,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  started_at timestamptz,
  ended_at timestamptz,
  UNIQUE (id, cluster),
  UNIQUE (incident_id, attempt),
  FOREIGN KEY (incident_id, cluster) REFERENCES incidents (id, cluster),
  CONSTRAINT investigations_rules_have_no_turn CHECK ((executor = 'Rules') = (turn_id IS NULL)));
CREATE UNIQUE INDEX ux_investigation_live ON investigations (incident_id) WHERE state IN ('Queued', 'Running');
CREATE INDEX ix_investigation_due ON investigations (created_at) WHERE state IN ('Queued', 'Running');

CREATE TABLE steps (                             -- write-ahead journal of every tool call: committed before the call, completed after it
  id uuid PRIMARY KEY,
  cluster text NOT NULL,
  turn_id uuid,
  investigation_id uuid,
  attempt integer NOT NULL,
  epoch bigint NOT NULL,
  ordinal integer NOT NULL,
  tool_call_id text NOT NULL,
  tool_name text NOT NULL,
  args jsonb NOT NULL,
  effect text NOT NULL CHECK (effect IN ('read', 'conclude', 'ledger', 'external')),
  status text NOT NULL CHECK (status IN ('requested', 'running', 'ok', 'error', 'denied', 'skipped', 'timeout', 'unknown')),
  result_text text,                              -- exactly what was concluded from; the grounding source
  result_sha256 char(64),
  raw_bytes bigint,
  truncated boolean NOT NULL DEFAULT false,
  tainted boolean NOT NULL DEFAULT false,
  error_kind text,
  requested_at timestamptz NOT NULL DEFAULT app_now(),
  started_at timestamptz,
  finished_at timestamptz,
  UNIQUE (turn_id, attempt, tool_call_id),
  UNIQUE (turn_id, attempt, ordinal),
  UNIQUE (investigation_id, attempt, ordinal),
  FOREIGN KEY (investigation_id, cluster) REFERENCES investigations (id, cluster),
  CONSTRAINT steps_belong_somewhere CHECK (num_nonnulls(turn_id, investigation_id) > 0),
  CONSTRAINT steps_of_investigators_never_write CHECK (investigation_id IS NULL OR effect IN ('read', 'conclude')));

CREATE TABLE evidence_blobs (                    -- the raw bytes behind a step, redacted at capture, for people; expires
  id uuid PRIMARY KEY,
  step_id uuid NOT NULL REFERENCES steps,
  sha256 char(64) NOT NULL,
  content bytea NOT NULL,
  encoding text NOT NULL CHECK (encoding IN ('identity', 'gzip')),
  content_type text NOT NULL,
  byte_size bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  expires_at timestamptz NOT NULL DEFAULT app_now() + interval '30 days');
CREATE INDEX ix_blob_expiry ON evidence_blobs (expires_at);
CREATE INDEX ix_blob_step ON evidence_blobs (step_id);

CREATE TABLE findings (
  id uuid PRIMARY KEY,
  investigation_id uuid NOT NULL REFERENCES investigations,
  ordinal integer NOT NULL,
  category text NOT NULL CHECK (category IN ('application', 'configuration', 'capacity', 'dependency', 'infrastructure', 'unknown')),
  statement text NOT NULL,
  certainty text NOT NULL CHECK (certainty IN ('proven', 'likely', 'possible', 'not_established')),
  rule text,
  cause jsonb NOT NULL DEFAULT '{}',             -- entity, field, old and new value, since when: typed, for the plan and the screen
  confidence numeric(4,3),
  is_primary boolean NOT NULL DEFAULT false,
  status text NOT NULL CHECK (status IN ('grounded', 'dropped')),
  drop_reason text,
  code_refs jsonb NOT NULL DEFAULT '[]',
  UNIQUE (investigation_id, ordinal),
  CONSTRAINT findings_dropped_say_why CHECK (status = 'grounded' OR (NOT is_primary AND drop_reason IS NOT NULL)));
CREATE UNIQUE INDEX ux_finding_primary ON findings (investigation_id) WHERE is_primary;
ALTER TABLE incidents ADD CONSTRAINT incidents_primary_finding_id_fkey FOREIGN KEY (primary_finding_id) REFERENCES findings
  DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE finding_evidence (
  id uuid PRIMARY KEY,
  finding_id uuid NOT NULL REFERENCES findings,
  step_id uuid REFERENCES steps,
  cited_step text NOT NULL,
  excerpt text NOT NULL,
  accepted boolean NOT NULL,
  reject_reason text CHECK (reject_reason IN ('unknown_step', 'foreign_step', 'not_substring', 'empty_excerpt', 'too_short')),
  CONSTRAINT finding_evidence_rejected_says_why CHECK (accepted = (reject_reason IS NULL)),
  CONSTRAINT finding_evidence_accepted_has_step CHECK (NOT accepted OR step_id IS NOT NULL));
CREATE INDEX ix_finding_evidence_finding ON finding_evidence (finding_id);
CREATE INDEX ix_finding_evidence_step ON finding_evidence (step_id);

CREATE TABLE plans (
  id uuid PRIMARY KEY,
  cluster text NOT NULL,
  incident_id uuid NOT NULL,
  investigation_id uuid NOT NULL REFERENCES investigations,
  producer text NOT NULL CHECK (producer IN ('rules', 'planner', 'job')),
  turn_id uuid,
  raw jsonb NOT NULL,
  schema_version integer NOT NULL,
  status text NOT NULL CHECK (status IN ('accepted', 'rejected', 'empty')),
  reject_reason text,
  cited_findings uuid[] NOT NULL,
  proposes_resolved boolean NOT NULL DEFAULT false,
  max_risk text,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  UNIQUE (id, cluster),
  UNIQUE (investigation_id),
  FOREIGN KEY (incident_id, cluster) REFERENCES incidents (id, cluster));
CREATE INDEX ix_plan_incident ON plans (incident_id, created_at);
