CREATE TABLE budgets (
  name text PRIMARY KEY,
  unit text NOT NULL CHECK (unit IN ('count', 'usd', 'tokens')),
  window_seconds integer NOT NULL CHECK (window_seconds > 0),
  limit_value numeric NOT NULL,
  on_exceed text NOT NULL CHECK (on_exceed IN ('require_approval', 'refuse', 'latch')));

CREATE TABLE budget_entries (                    -- summed over a sliding window after locking the budgets row
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  budget text NOT NULL REFERENCES budgets,
  scope_key text NOT NULL,
  amount numeric NOT NULL,
  ref_kind text NOT NULL,
  ref_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT app_now(),
  UNIQUE (budget, scope_key, ref_kind, ref_id));
CREATE INDEX ix_budget_window ON budget_entries (budget, scope_key, at DESC);

CREATE TABLE switches (                          -- the database arm of the modes and the kill switch; environment and ConfigMap are the others
  name text PRIMARY KEY,
  value text NOT NULL,
  reason text,
  set_by text NOT NULL REFERENCES principals,
  set_at timestamptz NOT NULL DEFAULT app_now(),
  version integer NOT NULL DEFAULT 1);

CREATE TABLE audit_log (                         -- append-only
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT app_now(),
  actor text NOT NULL,
  origin text NOT NULL,
  verb text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text NOT NULL,
  cluster text,
  namespace text,
  workload_kind text,
  workload_name text,
  detail jsonb NOT NULL DEFAULT '{}');
CREATE INDEX ix_audit_workload ON audit_log (cluster, namespace, workload_kind, workload_name, at DESC);
CREATE INDEX ix_audit_subject ON audit_log (subject_kind, subject_id, at DESC);
CREATE INDEX ix_audit_detail ON audit_log USING gin (detail jsonb_path_ops);

CREATE TABLE notification_deliveries (
  id uuid PRIMARY KEY,
  event_id bigint REFERENCES incident_events,
  subject_kind text NOT NULL CHECK (subject_kind IN ('incident', 'work_item', 'codefix', 'mode', 'policy', 'digest', 'conversation')),
  subject_id text NOT NULL,
  incident_id uuid REFERENCES incidents,
  route text NOT NULL,
  channel text NOT NULL,
  recipient text NOT NULL,
  payload jsonb NOT NULL,                        -- frozen; no absolute URLs inside
  payload_version integer NOT NULL,
  on_unknown text NOT NULL CHECK (on_unknown IN ('readback', 'resend', 'hold')),
  status text NOT NULL CHECK (status IN ('Pending', 'Claimed', 'Sending', 'Delivered', 'Suppressed', 'Failed', 'Unknown', 'Withheld')),
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  lease_run_id uuid,
  lease_epoch bigint,
  idempotency_key text NOT NULL UNIQUE,
  external_ref jsonb,
  suppressed_reason text,
  stated_suppressed integer NOT NULL DEFAULT 0,
  error_kind text,
  claimed_turn_id uuid,
  claimed_attempt integer,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  delivered_at timestamptz,
  UNIQUE (event_id, route, recipient),
  CONSTRAINT deliveries_work_item_has_no_incident CHECK (subject_kind <> 'work_item' OR incident_id IS NULL),
  CONSTRAINT deliveries_suppressed_says_why CHECK (status <> 'Suppressed' OR suppressed_reason IS NOT NULL));
CREATE INDEX ix_delivery_due ON notification_deliveries (status, next_attempt_at) WHERE status IN ('Pending', 'Sending', 'Unknown');
CREATE INDEX ix_delivery_incident ON notification_deliveries (incident_id) WHERE incident_id IS NOT NULL;
