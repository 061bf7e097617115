CREATE TABLE workloads (                         -- the row that admission locks: cooldown, quarantine and notifier counters live here
  cluster text NOT NULL REFERENCES clusters,
  namespace text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  uid text,
  cooldown_until timestamptz,
  cooldown_action_id uuid,
  quarantined_until timestamptz,
  quarantine_action_type text,
  quarantine_reason text,
  notify_last_sent_at timestamptz,
  notify_suppressed_since timestamptz,
  notify_suppressed_count integer NOT NULL DEFAULT 0,
  PRIMARY KEY (cluster, namespace, kind, name));

CREATE TABLE fingerprints (                      -- flap memory
  fingerprint char(64) PRIMARY KEY,
  cluster text NOT NULL REFERENCES clusters,
  flap_until timestamptz,
  flap_meta_incident_id uuid,
  last_signal_at timestamptz NOT NULL);

CREATE TABLE intake (                            -- the durable inbox: one row a delivery, written before it is answered
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source text NOT NULL,
  sender text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT app_now(),
  body text NOT NULL,
  body_sha256 char(64) NOT NULL,
  alerts integer NOT NULL,
  truncated integer NOT NULL DEFAULT 0,
  group_key text,
  receiver text,
  status text NOT NULL DEFAULT 'Pending' CHECK (status IN ('Pending', 'Done', 'Poison')),
  attempts integer NOT NULL DEFAULT 0,
  outcome jsonb,
  settled_at timestamptz,
  CONSTRAINT intake_settled CHECK ((status = 'Pending') = (settled_at IS NULL)));
CREATE INDEX ix_intake_pending ON intake (id) WHERE status = 'Pending';

CREATE TABLE incidents (
  id uuid PRIMARY KEY,
  cluster text NOT NULL REFERENCES clusters,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  fingerprint char(64) NOT NULL,
  correlation_key text,
  kind text NOT NULL,
  title text NOT NULL,
  severity text NOT NULL,
  namespace text,
  owner_kind text,
  owner_name text,
  owner_chain text[] NOT NULL DEFAULT '{}',
  node_name text,
  state text NOT NULL CHECK (state IN ('Detected', 'Triaging', 'Suppressed', 'Investigating', 'AwaitingApproval', 'Acting', 'Verifying',
    'Resolved', 'Escalated', 'Expired')),
  state_since timestamptz NOT NULL,
  suppressed_reason text CHECK (suppressed_reason IN ('Duplicate', 'Flapping', 'Maintenance', 'SelfCaused', 'Storm')),
  escalation_reason text,
  rollback_sub_reason text CHECK (rollback_sub_reason IN ('RolledBack', 'RollbackFailed', 'RollbackBlocked', 'RollbackUnknown',
    'NothingToUndo')),
  resolution_source text CHECK (resolution_source IN ('verifier', 'human', 'quiet', 'parent')),
  resolution_note text,
  is_self boolean NOT NULL DEFAULT false,
  is_meta boolean NOT NULL DEFAULT false,
  absorbed_by uuid,
  caused_by uuid,
  recurrence_of uuid,
  primary_finding_id uuid,
  first_signal_at timestamptz NOT NULL,
  last_signal_at timestamptz NOT NULL,
  quiet_since timestamptz,
  acknowledged_by text REFERENCES principals,
  acknowledged_at timestamptz,
  assigned_to text REFERENCES principals,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  closed_at timestamptz,
  UNIQUE (id, cluster),
  FOREIGN KEY (absorbed_by, cluster) REFERENCES incidents (id, cluster),
  FOREIGN KEY (caused_by, cluster) REFERENCES incidents (id, cluster),
  FOREIGN KEY (recurrence_of, cluster) REFERENCES incidents (id, cluster),
  CONSTRAINT incidents_self_never_acts
    CHECK (NOT (is_self OR is_meta) OR state NOT IN ('Investigating', 'AwaitingApproval', 'Acting', 'Verifying')),
  CONSTRAINT incidents_suppressed_says_why CHECK (state <> 'Suppressed' OR suppressed_reason IS NOT NULL),
  CONSTRAINT incidents_escalated_says_why CHECK (state <> 'Escalated' OR escalation_reason IS NOT NULL),
  CONSTRAINT incidents_resolved_says_by_whom CHECK (state <> 'Resolved' OR resolution_source IS NOT NULL),
  CONSTRAINT incidents_not_its_own_cause CHECK (absorbed_by <> id AND caused_by <> id AND recurrence_of <> id));
CREATE UNIQUE INDEX ux_incident_open ON incidents (cluster, fingerprint) WHERE state NOT IN ('Suppressed', 'Resolved', 'Expired');
CREATE INDEX ix_incident_correlation ON incidents (cluster, correlation_key) WHERE state NOT IN ('Suppressed', 'Resolved', 'Expired');
CREATE INDEX ix_incident_due ON incidents (state, state_since)
  WHERE state IN ('Detected', 'Triaging', 'Investigating', 'AwaitingApproval', 'Acting', 'Verifying');
CREATE INDEX ix_incident_open_signal ON incidents (last_signal_at) WHERE state NOT IN ('Suppressed', 'Resolved', 'Expired');
CREATE INDEX ix_incident_fingerprint ON incidents (fingerprint, created_at DESC);
CREATE INDEX ix_incident_owner ON incidents (cluster, namespace, owner_kind, owner_name, created_at DESC);
CREATE INDEX ix_incident_caused_by ON incidents (caused_by) WHERE caused_by IS NOT NULL;
CREATE INDEX ix_incident_absorbed_by ON incidents (absorbed_by) WHERE absorbed_by IS NOT NULL;

CREATE TABLE signals (                           -- the current state of each alert instance or watched condition
  id uuid PRIMARY KEY,
  cluster text NOT NULL REFERENCES clusters,
  source text NOT NULL CHECK (source IN ('k8s', 'alertmanager', 'promql', 'selfcheck')),
  external_key text NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  reason text NOT NULL,
  namespace text,
  owner_kind text,
  owner_name text,
  owner_chain text[] NOT NULL DEFAULT '{}',
  pod_name text,
  node_name text,
  fingerprint char(64) NOT NULL,
  correlation_key text,
  labels jsonb NOT NULL DEFAULT '{}',
  payload jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('firing', 'resolved')),
  is_self boolean NOT NULL DEFAULT false,
  starts_at timestamptz,
  ends_at timestamptz,
  received_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  occurrences integer NOT NULL DEFAULT 1 CHECK (occurrences > 0),
  intake_id bigint REFERENCES intake ON DELETE SET NULL,
  disposition text NOT NULL DEFAULT 'pending' CHECK (disposition IN ('pending', 'opened', 'collapsed', 'joined', 'absorbed', 'suppressed',
    'storm', 'self', 'late', 'benign')),
  disposition_reason text,
  incident_id uuid,
  FOREIGN KEY (incident_id, cluster) REFERENCES incidents (id, cluster),
  UNIQUE (cluster, source, external_key),
  CONSTRAINT signals_settled_says_where
    CHECK (disposition NOT IN ('opened', 'joined', 'absorbed') OR incident_id IS NOT NULL),
  CONSTRAINT signals_benign_says_why CHECK (disposition <> 'benign' OR disposition_reason IS NOT NULL));
CREATE INDEX ix_signal_pending ON signals (received_at, id) WHERE disposition = 'pending';
CREATE INDEX ix_signal_fp ON signals (fingerprint, last_seen_at DESC);
CREATE INDEX ix_signal_node ON signals (cluster, node_name, received_at DESC);
CREATE INDEX ix_signal_incident ON signals (incident_id, received_at) WHERE incident_id IS NOT NULL;
CREATE INDEX ix_signal_intake ON signals (intake_id) WHERE intake_id IS NOT NULL;
CREATE INDEX ix_signal_payload ON signals USING gin (payload jsonb_path_ops);

CREATE TABLE incident_events (                   -- append-only; the log that the audit and the deliveries are built from
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  incident_id uuid NOT NULL,
  cluster text NOT NULL,
  seq integer NOT NULL CHECK (seq > 0),
  kind text NOT NULL CHECK (kind IN ('transition', 'ack', 'assign', 'note', 'feedback', 'merge', 'requeue', 'rollback')),
  edge text,
  from_state text,
  to_state text,
  reason text,
  actor text NOT NULL REFERENCES principals,
  origin text NOT NULL CHECK (origin IN ('core', 'verifier', 'console', 'teams', 'mcp', 'github', 'api')),
  data jsonb NOT NULL DEFAULT '{}',
  at timestamptz NOT NULL DEFAULT app_now(),
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  FOREIGN KEY (incident_id, cluster) REFERENCES incidents (id, cluster),
  UNIQUE (incident_id, seq),
  CONSTRAINT incident_events_transition_is_whole CHECK (kind <> 'transition' OR (edge IS NOT NULL AND to_state IS NOT NULL)));
CREATE INDEX ix_event_stream ON incident_events (xid, id);

-- The legal transitions. Seeded from the state machines in code whenever the migrations run; never written by hand.
CREATE TABLE incident_edges (edge text NOT NULL, from_state text NOT NULL DEFAULT '', to_state text NOT NULL,
  PRIMARY KEY (edge, from_state, to_state));
