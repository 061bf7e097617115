-- Written from the migrated database's catalogue, to be read and compared; the migrations own the schema. Regenerate, never edit.

CREATE TABLE action_attempts (
  id uuid NOT NULL,
  action_id uuid NOT NULL,
  phase text NOT NULL,
  n integer NOT NULL,
  leader_epoch bigint NOT NULL,
  request jsonb NOT NULL,
  target_uid text,
  target_resource_version text,
  outcome text NOT NULL,
  http_status integer,
  response jsonb,
  started_at timestamp with time zone NOT NULL DEFAULT app_now(),
  finished_at timestamp with time zone,
  gates jsonb NOT NULL DEFAULT '[]'::jsonb,
  readback_at timestamp with time zone,
  readback text,
  k8s_event text,
  CONSTRAINT action_attempts_pkey PRIMARY KEY (id),
  CONSTRAINT action_attempts_action_id_phase_n_key UNIQUE (action_id, phase, n),
  CONSTRAINT action_attempts_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id),
  CONSTRAINT action_attempts_dry_run_changes_nothing CHECK (((outcome <> 'unknown'::text) OR (phase <> 'dry_run'::text))),
  CONSTRAINT action_attempts_n_check CHECK ((n > 0)),
  CONSTRAINT action_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['started'::text, 'succeeded'::text, 'rejected'::text, 'unsupported'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT action_attempts_phase_check CHECK ((phase = ANY (ARRAY['dry_run'::text, 'execute'::text, 'removal'::text, 'rollback'::text]))),
  CONSTRAINT action_attempts_readback_check CHECK ((readback = ANY (ARRAY['applied'::text, 'not_applied'::text, 'inconclusive'::text])))
);
CREATE UNIQUE INDEX ux_attempt_effect ON action_attempts USING btree (action_id, phase) WHERE ((phase = ANY (ARRAY['execute'::text, 'rollback'::text])) AND (outcome = ANY (ARRAY['started'::text, 'succeeded'::text, 'unknown'::text])));
CREATE UNIQUE INDEX ux_attempt_open ON action_attempts USING btree (action_id) WHERE (outcome = 'started'::text);
CREATE UNIQUE INDEX ux_attempt_removal ON action_attempts USING btree (action_id, ((request ->> 'name'::text))) WHERE ((phase = 'removal'::text) AND (outcome = ANY (ARRAY['started'::text, 'succeeded'::text, 'unknown'::text])));

CREATE TABLE action_edges (
  edge text NOT NULL,
  from_state text NOT NULL DEFAULT ''::text,
  to_state text NOT NULL,
  CONSTRAINT action_edges_pkey PRIMARY KEY (edge, from_state, to_state)
);

CREATE TABLE actions (
  id uuid NOT NULL,
  cluster text NOT NULL,
  plan_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  ordinal integer NOT NULL,
  workload_namespace text NOT NULL,
  workload_kind text NOT NULL,
  workload_name text NOT NULL,
  target_kind text NOT NULL,
  target_namespace text NOT NULL DEFAULT ''::text,
  target_name text NOT NULL,
  target_uid text NOT NULL,
  type text NOT NULL,
  params jsonb NOT NULL,
  rollback_values jsonb,
  risk text NOT NULL,
  state text NOT NULL,
  state_since timestamp with time zone NOT NULL DEFAULT app_now(),
  mode text,
  decision text,
  decision_reasons text[] NOT NULL DEFAULT '{}'::text[],
  policy_hash character(64),
  inverse jsonb,
  pre_state jsonb,
  post_state jsonb,
  idempotency_key text NOT NULL,
  admitted_at timestamp with time zone,
  executed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  failures integer NOT NULL DEFAULT 0,
  failure text,
  retry_at timestamp with time zone,
  dead_letter_at timestamp with time zone,
  CONSTRAINT actions_pkey PRIMARY KEY (id),
  CONSTRAINT actions_id_cluster_key UNIQUE (id, cluster),
  CONSTRAINT actions_idempotency_key_key UNIQUE (idempotency_key),
  CONSTRAINT actions_plan_id_ordinal_key UNIQUE (plan_id, ordinal),
  CONSTRAINT actions_cluster_workload_namespace_workload_kind_workload__fkey FOREIGN KEY (cluster, workload_namespace, workload_kind, workload_name) REFERENCES workloads(cluster, namespace, kind, name),
  CONSTRAINT actions_incident_id_cluster_fkey FOREIGN KEY (incident_id, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT actions_plan_id_cluster_fkey FOREIGN KEY (plan_id, cluster) REFERENCES plans(id, cluster),
  CONSTRAINT actions_decision_check CHECK ((decision = ANY (ARRAY['Allow'::text, 'RequireApproval'::text, 'Deny'::text]))),
  CONSTRAINT actions_failure_says_why CHECK ((((failures = 0) AND (dead_letter_at IS NULL)) OR (failure IS NOT NULL))),
  CONSTRAINT actions_failures_check CHECK ((failures >= 0)),
  CONSTRAINT actions_mode_check CHECK ((mode = ANY (ARRAY['off'::text, 'observe'::text, 'dryrun'::text, 'approve'::text, 'auto'::text]))),
  CONSTRAINT actions_risk_check CHECK ((risk = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text]))),
  CONSTRAINT actions_state_check CHECK ((state = ANY (ARRAY['Proposed'::text, 'Denied'::text, 'AwaitingApproval'::text, 'Approved'::text, 'Rejected'::text, 'ApprovalExpired'::text, 'Admitted'::text, 'Refused'::text, 'Unsupported'::text, 'DryRunOk'::text, 'DryRunFailed'::text, 'Executing'::text, 'Executed'::text, 'Failed'::text, 'Unknown'::text, 'Verifying'::text, 'Verified'::text, 'VerificationFailed'::text, 'RollingBack'::text, 'RolledBack'::text, 'RollbackFailed'::text, 'RollbackUnknown'::text, 'Inconclusive'::text, 'Withdrawn'::text])))
);
CREATE INDEX ix_action_due ON actions USING btree (state, state_since) WHERE (state = ANY (ARRAY['Proposed'::text, 'Approved'::text, 'Admitted'::text, 'DryRunOk'::text, 'Executing'::text, 'Executed'::text, 'Unknown'::text, 'Verifying'::text, 'VerificationFailed'::text, 'RollingBack'::text, 'RollbackUnknown'::text]));
CREATE INDEX ix_action_incident ON actions USING btree (incident_id, created_at);
CREATE INDEX ix_action_workload ON actions USING btree (cluster, workload_namespace, workload_kind, workload_name, created_at DESC);
CREATE INDEX ix_actions_failing ON actions USING btree (failures) WHERE ((failures > 0) OR (dead_letter_at IS NOT NULL));
CREATE CONSTRAINT TRIGGER t_approved AFTER UPDATE OF state ON actions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION action_approved_has_proposal();
CREATE TRIGGER t_legal AFTER INSERT OR UPDATE OF state ON actions FOR EACH ROW EXECUTE FUNCTION action_moves_legally();
CREATE TRIGGER t_since BEFORE UPDATE OF state ON actions FOR EACH ROW EXECUTE FUNCTION action_state_since();

CREATE TABLE api_tokens (
  token_sha256 bytea NOT NULL,
  subject text NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  role text NOT NULL,
  namespaces text[] NOT NULL,
  created_by text,
  CONSTRAINT api_tokens_pkey PRIMARY KEY (token_sha256),
  CONSTRAINT api_tokens_created_by_fkey FOREIGN KEY (created_by) REFERENCES principals(subject),
  CONSTRAINT api_tokens_subject_fkey FOREIGN KEY (subject) REFERENCES principals(subject),
  CONSTRAINT api_tokens_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'responder'::text, 'approver'::text, 'admin'::text]))),
  CONSTRAINT api_tokens_token_sha256_check CHECK ((octet_length(token_sha256) = 32))
);
CREATE INDEX ix_api_token_subject ON api_tokens USING btree (subject);
CREATE TRIGGER t_access AFTER UPDATE OF revoked_at ON api_tokens FOR EACH STATEMENT EXECUTE FUNCTION notify_access();

CREATE TABLE approvals (
  id uuid NOT NULL,
  proposal_id uuid,
  codefix_attempt_id uuid,
  decision text NOT NULL,
  actor text NOT NULL,
  source text NOT NULL,
  reason text,
  external_ref text,
  subject_sha256 character(64) NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT app_now(),
  credential_made_by text,
  CONSTRAINT approvals_pkey PRIMARY KEY (id),
  CONSTRAINT approvals_codefix_attempt_id_key UNIQUE (codefix_attempt_id),
  CONSTRAINT approvals_external_ref_key UNIQUE (external_ref),
  CONSTRAINT approvals_proposal_id_actor_key UNIQUE (proposal_id, actor),
  CONSTRAINT approvals_actor_fkey FOREIGN KEY (actor) REFERENCES principals(subject),
  CONSTRAINT approvals_credential_made_by_fkey FOREIGN KEY (credential_made_by) REFERENCES principals(subject),
  CONSTRAINT approvals_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES proposals(id),
  CONSTRAINT approvals_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'deny'::text]))),
  CONSTRAINT approvals_one_subject CHECK ((num_nonnulls(proposal_id, codefix_attempt_id) = 1)),
  CONSTRAINT approvals_source_check CHECK ((source = ANY (ARRAY['console'::text, 'api'::text, 'teams'::text, 'github_comment'::text, 'github_reaction'::text])))
);
CREATE TRIGGER t_append BEFORE DELETE OR UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION deny_change();
CREATE TRIGGER t_shown BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION approval_is_for_what_was_shown();
CREATE TRIGGER t_trunc BEFORE TRUNCATE ON approvals FOR EACH STATEMENT EXECUTE FUNCTION deny_change();

CREATE TABLE audit_log (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp with time zone NOT NULL DEFAULT app_now(),
  actor text NOT NULL,
  origin text NOT NULL,
  verb text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text NOT NULL,
  cluster text,
  namespace text,
  workload_kind text,
  workload_name text,
  detail jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX ix_audit_detail ON audit_log USING gin (detail jsonb_path_ops);
CREATE INDEX ix_audit_subject ON audit_log USING btree (subject_kind, subject_id, at DESC);
CREATE INDEX ix_audit_workload ON audit_log USING btree (cluster, namespace, workload_kind, workload_name, at DESC);
CREATE TRIGGER t_append BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION deny_change();
CREATE TRIGGER t_trunc BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION deny_change();

CREATE TABLE budget_entries (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  budget text NOT NULL,
  scope_key text NOT NULL,
  amount numeric NOT NULL,
  ref_kind text NOT NULL,
  ref_id uuid NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT budget_entries_pkey PRIMARY KEY (id),
  CONSTRAINT budget_entries_budget_scope_key_ref_kind_ref_id_key UNIQUE (budget, scope_key, ref_kind, ref_id),
  CONSTRAINT budget_entries_budget_fkey FOREIGN KEY (budget) REFERENCES budgets(name)
);
CREATE INDEX ix_budget_window ON budget_entries USING btree (budget, scope_key, at DESC);

CREATE TABLE budgets (
  name text NOT NULL,
  unit text NOT NULL,
  window_seconds integer NOT NULL,
  limit_value numeric NOT NULL,
  on_exceed text NOT NULL,
  CONSTRAINT budgets_pkey PRIMARY KEY (name),
  CONSTRAINT budgets_on_exceed_check CHECK ((on_exceed = ANY (ARRAY['require_approval'::text, 'refuse'::text, 'latch'::text]))),
  CONSTRAINT budgets_unit_check CHECK ((unit = ANY (ARRAY['count'::text, 'usd'::text, 'tokens'::text]))),
  CONSTRAINT budgets_window_seconds_check CHECK ((window_seconds > 0))
);

CREATE TABLE cluster_health (
  cluster text NOT NULL,
  pods integer NOT NULL,
  unready_pods integer NOT NULL,
  nodes integer NOT NULL,
  unready_nodes integer NOT NULL,
  namespaces text[] NOT NULL DEFAULT '{}'::text[],
  counted_at timestamp with time zone NOT NULL,
  epoch bigint NOT NULL,
  CONSTRAINT cluster_health_pkey PRIMARY KEY (cluster),
  CONSTRAINT cluster_health_cluster_fkey FOREIGN KEY (cluster) REFERENCES clusters(id),
  CONSTRAINT cluster_health_counts CHECK ((((unready_pods >= 0) AND (unready_pods <= pods)) AND ((unready_nodes >= 0) AND (unready_nodes <= nodes)))),
  CONSTRAINT cluster_health_epoch_check CHECK ((epoch > 0))
);
CREATE TRIGGER t_epoch BEFORE UPDATE ON cluster_health FOR EACH ROW EXECUTE FUNCTION cluster_health_epoch_grows();

CREATE TABLE clusters (
  id text NOT NULL,
  is_local boolean NOT NULL,
  display_name text NOT NULL,
  aliases text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT clusters_pkey PRIMARY KEY (id)
);

CREATE TABLE conversations (
  id uuid NOT NULL,
  cluster text NOT NULL,
  kind text NOT NULL,
  incident_id uuid,
  next_seq bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT conversations_pkey PRIMARY KEY (id),
  CONSTRAINT conversations_id_cluster_key UNIQUE (id, cluster),
  CONSTRAINT conversations_cluster_fkey FOREIGN KEY (cluster) REFERENCES clusters(id),
  CONSTRAINT conversations_incident_id_cluster_fkey FOREIGN KEY (incident_id, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT conversations_kind_check CHECK ((kind = ANY (ARRAY['incident'::text, 'thread'::text, 'investigation'::text, 'planner'::text, 'digest'::text])))
);
CREATE UNIQUE INDEX ux_conversation_seat ON conversations USING btree (cluster, incident_id, kind) WHERE (kind = ANY (ARRAY['incident'::text, 'investigation'::text, 'planner'::text]));

CREATE TABLE evidence_blobs (
  id uuid NOT NULL,
  step_id uuid NOT NULL,
  sha256 character(64) NOT NULL,
  content bytea NOT NULL,
  encoding text NOT NULL,
  content_type text NOT NULL,
  byte_size bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL DEFAULT (app_now() + '30 days'::interval),
  CONSTRAINT evidence_blobs_pkey PRIMARY KEY (id),
  CONSTRAINT evidence_blobs_step_id_fkey FOREIGN KEY (step_id) REFERENCES steps(id),
  CONSTRAINT evidence_blobs_encoding_check CHECK ((encoding = ANY (ARRAY['identity'::text, 'gzip'::text])))
);
CREATE INDEX ix_blob_expiry ON evidence_blobs USING btree (expires_at);
CREATE INDEX ix_blob_step ON evidence_blobs USING btree (step_id);

CREATE TABLE finding_evidence (
  id uuid NOT NULL,
  finding_id uuid NOT NULL,
  step_id uuid,
  cited_step text NOT NULL,
  excerpt text NOT NULL,
  accepted boolean NOT NULL,
  reject_reason text,
  CONSTRAINT finding_evidence_pkey PRIMARY KEY (id),
  CONSTRAINT finding_evidence_finding_id_fkey FOREIGN KEY (finding_id) REFERENCES findings(id),
  CONSTRAINT finding_evidence_step_id_fkey FOREIGN KEY (step_id) REFERENCES steps(id),
  CONSTRAINT finding_evidence_accepted_has_step CHECK (((NOT accepted) OR (step_id IS NOT NULL))),
  CONSTRAINT finding_evidence_reject_reason_check CHECK ((reject_reason = ANY (ARRAY['unknown_step'::text, 'foreign_step'::text, 'not_substring'::text, 'empty_excerpt'::text, 'too_short'::text]))),
  CONSTRAINT finding_evidence_rejected_says_why CHECK ((accepted = (reject_reason IS NULL)))
);
CREATE INDEX ix_finding_evidence_finding ON finding_evidence USING btree (finding_id);
CREATE INDEX ix_finding_evidence_step ON finding_evidence USING btree (step_id);

CREATE TABLE findings (
  id uuid NOT NULL,
  investigation_id uuid NOT NULL,
  ordinal integer NOT NULL,
  category text NOT NULL,
  statement text NOT NULL,
  certainty text NOT NULL,
  rule text,
  cause jsonb NOT NULL DEFAULT '{}'::jsonb,
  confidence numeric(4,3),
  is_primary boolean NOT NULL DEFAULT false,
  status text NOT NULL,
  drop_reason text,
  code_refs jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT findings_pkey PRIMARY KEY (id),
  CONSTRAINT findings_investigation_id_ordinal_key UNIQUE (investigation_id, ordinal),
  CONSTRAINT findings_investigation_id_fkey FOREIGN KEY (investigation_id) REFERENCES investigations(id),
  CONSTRAINT findings_category_check CHECK ((category = ANY (ARRAY['application'::text, 'configuration'::text, 'capacity'::text, 'dependency'::text, 'infrastructure'::text, 'unknown'::text]))),
  CONSTRAINT findings_certainty_check CHECK ((certainty = ANY (ARRAY['proven'::text, 'likely'::text, 'possible'::text, 'not_established'::text]))),
  CONSTRAINT findings_dropped_say_why CHECK (((status = 'grounded'::text) OR ((NOT is_primary) AND (drop_reason IS NOT NULL)))),
  CONSTRAINT findings_status_check CHECK ((status = ANY (ARRAY['grounded'::text, 'dropped'::text])))
);
CREATE UNIQUE INDEX ux_finding_primary ON findings USING btree (investigation_id) WHERE is_primary;

CREATE TABLE fingerprints (
  fingerprint character(64) NOT NULL,
  cluster text NOT NULL,
  flap_until timestamp with time zone,
  flap_meta_incident_id uuid,
  last_signal_at timestamp with time zone NOT NULL,
  CONSTRAINT fingerprints_pkey PRIMARY KEY (fingerprint),
  CONSTRAINT fingerprints_cluster_fkey FOREIGN KEY (cluster) REFERENCES clusters(id)
);

CREATE TABLE idempotency_keys (
  principal text NOT NULL,
  key text NOT NULL,
  request_sha256 character(64) NOT NULL,
  status integer,
  body jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (principal, key),
  CONSTRAINT idempotency_keys_principal_fkey FOREIGN KEY (principal) REFERENCES principals(subject)
);
CREATE INDEX ix_idempotency_created ON idempotency_keys USING btree (created_at);

CREATE TABLE incident_edges (
  edge text NOT NULL,
  from_state text NOT NULL DEFAULT ''::text,
  to_state text NOT NULL,
  CONSTRAINT incident_edges_pkey PRIMARY KEY (edge, from_state, to_state)
);

CREATE TABLE incident_events (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  incident_id uuid NOT NULL,
  cluster text NOT NULL,
  seq integer NOT NULL,
  kind text NOT NULL,
  edge text,
  from_state text,
  to_state text,
  reason text,
  actor text NOT NULL,
  origin text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}'::jsonb,
  at timestamp with time zone NOT NULL DEFAULT app_now(),
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT incident_events_pkey PRIMARY KEY (id),
  CONSTRAINT incident_events_incident_id_seq_key UNIQUE (incident_id, seq),
  CONSTRAINT incident_events_actor_fkey FOREIGN KEY (actor) REFERENCES principals(subject),
  CONSTRAINT incident_events_incident_id_cluster_fkey FOREIGN KEY (incident_id, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT incident_events_kind_check CHECK ((kind = ANY (ARRAY['transition'::text, 'ack'::text, 'assign'::text, 'note'::text, 'feedback'::text, 'merge'::text, 'requeue'::text, 'rollback'::text]))),
  CONSTRAINT incident_events_origin_check CHECK ((origin = ANY (ARRAY['core'::text, 'verifier'::text, 'console'::text, 'teams'::text, 'mcp'::text, 'github'::text, 'api'::text]))),
  CONSTRAINT incident_events_seq_check CHECK ((seq > 0)),
  CONSTRAINT incident_events_transition_is_whole CHECK (((kind <> 'transition'::text) OR ((edge IS NOT NULL) AND (to_state IS NOT NULL))))
);
CREATE INDEX ix_event_stream ON incident_events USING btree (xid, id);
CREATE TRIGGER t_append BEFORE DELETE OR UPDATE ON incident_events FOR EACH ROW EXECUTE FUNCTION deny_change();
CREATE TRIGGER t_legal BEFORE INSERT ON incident_events FOR EACH ROW EXECUTE FUNCTION incident_event_is_legal();
CREATE CONSTRAINT TRIGGER t_took_place AFTER INSERT ON incident_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION incident_event_took_place();
CREATE TRIGGER t_trunc BEFORE TRUNCATE ON incident_events FOR EACH STATEMENT EXECUTE FUNCTION deny_change();

CREATE TABLE incidents (
  id uuid NOT NULL,
  cluster text NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  fingerprint character(64) NOT NULL,
  correlation_key text,
  kind text NOT NULL,
  title text NOT NULL,
  severity text NOT NULL,
  namespace text,
  owner_kind text,
  owner_name text,
  owner_chain text[] NOT NULL DEFAULT '{}'::text[],
  node_name text,
  state text NOT NULL,
  state_since timestamp with time zone NOT NULL,
  suppressed_reason text,
  escalation_reason text,
  rollback_sub_reason text,
  resolution_source text,
  resolution_note text,
  is_self boolean NOT NULL DEFAULT false,
  is_meta boolean NOT NULL DEFAULT false,
  absorbed_by uuid,
  caused_by uuid,
  recurrence_of uuid,
  primary_finding_id uuid,
  first_signal_at timestamp with time zone NOT NULL,
  last_signal_at timestamp with time zone NOT NULL,
  quiet_since timestamp with time zone,
  acknowledged_by text,
  acknowledged_at timestamp with time zone,
  assigned_to text,
  version integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  closed_at timestamp with time zone,
  traceparent text,
  CONSTRAINT incidents_pkey PRIMARY KEY (id),
  CONSTRAINT incidents_id_cluster_key UNIQUE (id, cluster),
  CONSTRAINT incidents_number_key UNIQUE (number),
  CONSTRAINT incidents_absorbed_by_cluster_fkey FOREIGN KEY (absorbed_by, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT incidents_acknowledged_by_fkey FOREIGN KEY (acknowledged_by) REFERENCES principals(subject),
  CONSTRAINT incidents_assigned_to_fkey FOREIGN KEY (assigned_to) REFERENCES principals(subject),
  CONSTRAINT incidents_caused_by_cluster_fkey FOREIGN KEY (caused_by, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT incidents_cluster_fkey FOREIGN KEY (cluster) REFERENCES clusters(id),
  CONSTRAINT incidents_primary_finding_id_fkey FOREIGN KEY (primary_finding_id) REFERENCES findings(id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT incidents_recurrence_of_cluster_fkey FOREIGN KEY (recurrence_of, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT incidents_escalated_says_why CHECK (((state <> 'Escalated'::text) OR (escalation_reason IS NOT NULL))),
  CONSTRAINT incidents_not_its_own_cause CHECK (((absorbed_by <> id) AND (caused_by <> id) AND (recurrence_of <> id))),
  CONSTRAINT incidents_resolution_source_check CHECK ((resolution_source = ANY (ARRAY['verifier'::text, 'human'::text, 'quiet'::text, 'parent'::text]))),
  CONSTRAINT incidents_resolved_says_by_whom CHECK (((state <> 'Resolved'::text) OR (resolution_source IS NOT NULL))),
  CONSTRAINT incidents_rollback_sub_reason_check CHECK ((rollback_sub_reason = ANY (ARRAY['RolledBack'::text, 'RollbackFailed'::text, 'RollbackBlocked'::text, 'RollbackUnknown'::text, 'NothingToUndo'::text]))),
  CONSTRAINT incidents_self_never_acts CHECK (((NOT (is_self OR is_meta)) OR (state <> ALL (ARRAY['Investigating'::text, 'AwaitingApproval'::text, 'Acting'::text, 'Verifying'::text])))),
  CONSTRAINT incidents_state_check CHECK ((state = ANY (ARRAY['Detected'::text, 'Triaging'::text, 'Suppressed'::text, 'Investigating'::text, 'AwaitingApproval'::text, 'Acting'::text, 'Verifying'::text, 'Resolved'::text, 'Escalated'::text, 'Expired'::text]))),
  CONSTRAINT incidents_suppressed_reason_check CHECK ((suppressed_reason = ANY (ARRAY['Duplicate'::text, 'Flapping'::text, 'Maintenance'::text, 'SelfCaused'::text, 'Storm'::text]))),
  CONSTRAINT incidents_suppressed_says_why CHECK (((state <> 'Suppressed'::text) OR (suppressed_reason IS NOT NULL))),
  CONSTRAINT incidents_traceparent_check CHECK ((traceparent ~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'::text))
);
CREATE INDEX ix_incident_absorbed_by ON incidents USING btree (absorbed_by) WHERE (absorbed_by IS NOT NULL);
CREATE INDEX ix_incident_caused_by ON incidents USING btree (caused_by) WHERE (caused_by IS NOT NULL);
CREATE INDEX ix_incident_correlation ON incidents USING btree (cluster, correlation_key) WHERE (state <> ALL (ARRAY['Suppressed'::text, 'Resolved'::text, 'Expired'::text]));
CREATE INDEX ix_incident_due ON incidents USING btree (state, state_since) WHERE (state = ANY (ARRAY['Detected'::text, 'Triaging'::text, 'Investigating'::text, 'AwaitingApproval'::text, 'Acting'::text, 'Verifying'::text]));
CREATE INDEX ix_incident_fingerprint ON incidents USING btree (fingerprint, created_at DESC);
CREATE INDEX ix_incident_node ON incidents USING btree (cluster, node_name) WHERE ((kind = 'NodePressure'::text) AND (state <> ALL (ARRAY['Suppressed'::text, 'Resolved'::text, 'Expired'::text])));
CREATE INDEX ix_incident_open_namespace ON incidents USING btree (cluster, namespace) WHERE (state <> ALL (ARRAY['Suppressed'::text, 'Resolved'::text, 'Expired'::text]));
CREATE INDEX ix_incident_open_signal ON incidents USING btree (last_signal_at) WHERE (state <> ALL (ARRAY['Suppressed'::text, 'Resolved'::text, 'Expired'::text]));
CREATE INDEX ix_incident_opened ON incidents USING btree (cluster, created_at DESC) WHERE (NOT is_meta);
CREATE INDEX ix_incident_over_correlation ON incidents USING btree (correlation_key) WHERE (state = ANY (ARRAY['Suppressed'::text, 'Resolved'::text, 'Expired'::text]));
CREATE INDEX ix_incident_over_fingerprint ON incidents USING btree (fingerprint) WHERE (state = ANY (ARRAY['Suppressed'::text, 'Resolved'::text, 'Expired'::text]));
CREATE INDEX ix_incident_owner ON incidents USING btree (cluster, namespace, owner_kind, owner_name, created_at DESC);
CREATE INDEX ix_incident_owners ON incidents USING gin (owner_chain) WITH (fastupdate=off) WHERE (state <> ALL (ARRAY['Suppressed'::text, 'Resolved'::text, 'Expired'::text]));
CREATE INDEX ix_incident_unlinked ON incidents USING btree (id) WHERE ((state = 'Escalated'::text) AND (escalation_reason = 'UpstreamCause'::text) AND (caused_by IS NULL));
CREATE UNIQUE INDEX ux_incident_open ON incidents USING btree (cluster, fingerprint) WHERE (state <> ALL (ARRAY['Suppressed'::text, 'Resolved'::text, 'Expired'::text]));
CREATE CONSTRAINT TRIGGER t_state_event AFTER INSERT OR UPDATE OF state ON incidents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION incident_state_has_event();

CREATE TABLE intake (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  source text NOT NULL,
  sender text NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT app_now(),
  body text NOT NULL,
  body_sha256 character(64) NOT NULL,
  alerts integer NOT NULL,
  truncated integer NOT NULL DEFAULT 0,
  group_key text,
  receiver text,
  status text NOT NULL DEFAULT 'Pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  outcome jsonb,
  settled_at timestamp with time zone,
  traceparent text,
  CONSTRAINT intake_pkey PRIMARY KEY (id),
  CONSTRAINT intake_settled CHECK (((status = 'Pending'::text) = (settled_at IS NULL))),
  CONSTRAINT intake_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'Done'::text, 'Poison'::text]))),
  CONSTRAINT intake_traceparent_check CHECK ((traceparent ~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'::text))
);
CREATE INDEX ix_intake_pending ON intake USING btree (id) WHERE (status = 'Pending'::text);

CREATE TABLE investigations (
  id uuid NOT NULL,
  cluster text NOT NULL,
  incident_id uuid NOT NULL,
  attempt integer NOT NULL,
  cause text NOT NULL,
  executor text NOT NULL,
  turn_id uuid,
  state text NOT NULL,
  budget_steps integer NOT NULL,
  steps_used integer NOT NULL DEFAULT 0,
  budget_usd numeric(12,6) NOT NULL,
  cost_usd numeric(12,6) NOT NULL DEFAULT 0,
  grace_used boolean NOT NULL DEFAULT false,
  gaps jsonb NOT NULL DEFAULT '[]'::jsonb,
  confidence numeric(4,3),
  deadline_at timestamp with time zone NOT NULL,
  end_reason text,
  job_name text,
  job_token_sha256 bytea,
  job_token_expires_at timestamp with time zone,
  concluded_at timestamp with time zone,
  plan_window_until timestamp with time zone,
  plan_proposed boolean NOT NULL DEFAULT false,
  source_commit text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  model_note jsonb,
  stop_requested_by text,
  stop_requested_at timestamp with time zone,
  CONSTRAINT investigations_pkey PRIMARY KEY (id),
  CONSTRAINT investigations_id_cluster_key UNIQUE (id, cluster),
  CONSTRAINT investigations_incident_id_attempt_key UNIQUE (incident_id, attempt),
  CONSTRAINT investigations_incident_id_cluster_fkey FOREIGN KEY (incident_id, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT investigations_stop_requested_by_fkey FOREIGN KEY (stop_requested_by) REFERENCES principals(subject),
  CONSTRAINT investigations_turn_id_fkey FOREIGN KEY (turn_id, cluster) REFERENCES turns(id, cluster),
  CONSTRAINT investigations_attempt_check CHECK ((attempt > 0)),
  CONSTRAINT investigations_cause_check CHECK ((cause = ANY (ARRAY['auto'::text, 'reinvestigate'::text, 'requeue'::text, 'fallback'::text, 'rules-inconclusive'::text]))),
  CONSTRAINT investigations_executor_check CHECK ((executor = ANY (ARRAY['Rules'::text, 'InProcess'::text, 'Job'::text, 'JobFallback'::text]))),
  CONSTRAINT investigations_job_token_sha256_check CHECK ((octet_length(job_token_sha256) = 32)),
  CONSTRAINT investigations_rules_have_no_turn CHECK (((executor = 'Rules'::text) = (turn_id IS NULL))),
  CONSTRAINT investigations_state_check CHECK ((state = ANY (ARRAY['Queued'::text, 'Running'::text, 'Concluded'::text, 'NoConclusion'::text, 'BudgetExhausted'::text, 'Faulted'::text, 'Stopped'::text])))
);
CREATE INDEX ix_investigation_due ON investigations USING btree (created_at) WHERE (state = ANY (ARRAY['Queued'::text, 'Running'::text]));
CREATE UNIQUE INDEX ux_investigation_live ON investigations USING btree (incident_id) WHERE (state = ANY (ARRAY['Queued'::text, 'Running'::text]));

CREATE TABLE leases (
  kind text NOT NULL,
  subject_key text NOT NULL,
  cluster text,
  run_id uuid NOT NULL,
  epoch bigint NOT NULL,
  holder jsonb NOT NULL,
  acquired_at timestamp with time zone NOT NULL,
  renewed_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  deadline_at timestamp with time zone,
  released_at timestamp with time zone,
  CONSTRAINT leases_pkey PRIMARY KEY (kind, subject_key),
  CONSTRAINT leases_run_id_key UNIQUE (run_id),
  CONSTRAINT leases_epoch_check CHECK ((epoch > 0)),
  CONSTRAINT leases_kind_check CHECK ((kind = ANY (ARRAY['leader'::text, 'intake'::text, 'triage'::text, 'investigation'::text, 'action'::text, 'verification'::text, 'delivery'::text, 'turn'::text, 'compaction'::text, 'session'::text, 'sweeper'::text])))
);
CREATE TRIGGER t_epoch BEFORE DELETE OR UPDATE ON leases FOR EACH ROW EXECUTE FUNCTION lease_epoch_grows();
CREATE TRIGGER t_trunc BEFORE TRUNCATE ON leases FOR EACH STATEMENT EXECUTE FUNCTION deny_change();

CREATE TABLE llm_usage (
  id uuid NOT NULL,
  turn_id uuid NOT NULL,
  investigation_id uuid,
  attempt integer NOT NULL,
  run_id uuid NOT NULL,
  epoch bigint NOT NULL,
  call_no integer NOT NULL,
  purpose text NOT NULL,
  provider text NOT NULL,
  model text NOT NULL,
  host text NOT NULL,
  price jsonb NOT NULL,
  input_tokens integer NOT NULL DEFAULT 0,
  output_tokens integer NOT NULL DEFAULT 0,
  reasoning_tokens integer NOT NULL DEFAULT 0,
  cache_read_tokens integer NOT NULL DEFAULT 0,
  cache_write_tokens integer NOT NULL DEFAULT 0,
  reserved_usd numeric(12,6) NOT NULL,
  cost_usd numeric(12,6) NOT NULL DEFAULT 0,
  notional_usd numeric(12,6),
  billing text NOT NULL,
  self_reported boolean NOT NULL DEFAULT false,
  outcome text NOT NULL,
  error_kind text,
  http_status integer,
  first_byte_ms integer,
  started_at timestamp with time zone NOT NULL DEFAULT app_now(),
  ended_at timestamp with time zone,
  CONSTRAINT llm_usage_pkey PRIMARY KEY (id),
  CONSTRAINT llm_usage_turn_id_call_no_key UNIQUE (turn_id, call_no),
  CONSTRAINT llm_usage_investigation_id_fkey FOREIGN KEY (investigation_id) REFERENCES investigations(id),
  CONSTRAINT llm_usage_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id),
  CONSTRAINT llm_usage_billing_check CHECK ((billing = ANY (ARRAY['metered'::text, 'subscription'::text]))),
  CONSTRAINT llm_usage_call_no_check CHECK ((call_no > 0)),
  CONSTRAINT llm_usage_ends_once CHECK (((outcome = 'started'::text) = (ended_at IS NULL))),
  CONSTRAINT llm_usage_outcome_check CHECK ((outcome = ANY (ARRAY['started'::text, 'ok'::text, 'error'::text, 'stalled'::text, 'aborted'::text, 'truncated'::text, 'lost'::text]))),
  CONSTRAINT llm_usage_purpose_check CHECK ((purpose = ANY (ARRAY['turn'::text, 'plan'::text, 'summary'::text, 'grace'::text, 'title'::text, 'digest'::text, 'embed'::text, 'job'::text]))),
  CONSTRAINT llm_usage_subscription_costs_nothing CHECK (((billing <> 'subscription'::text) OR (cost_usd = (0)::numeric)))
);
CREATE INDEX ix_llm_usage_investigation ON llm_usage USING btree (investigation_id);
CREATE INDEX ix_llm_usage_open ON llm_usage USING btree (started_at) WHERE (outcome = 'started'::text);
CREATE INDEX ix_llm_usage_window ON llm_usage USING btree (started_at);

CREATE TABLE model_exchanges (
  usage_id uuid NOT NULL,
  appended text NOT NULL,
  answer text,
  sent bytea NOT NULL,
  sent_bytes integer NOT NULL,
  sent_sha256 character(64) NOT NULL,
  expires_at timestamp with time zone NOT NULL DEFAULT (app_now() + '30 days'::interval),
  CONSTRAINT model_exchanges_pkey PRIMARY KEY (usage_id),
  CONSTRAINT model_exchanges_usage_id_fkey FOREIGN KEY (usage_id) REFERENCES llm_usage(id) ON DELETE CASCADE
);
CREATE INDEX ix_model_exchange_expiry ON model_exchanges USING btree (expires_at);

CREATE TABLE notification_deliveries (
  id uuid NOT NULL,
  event_id bigint,
  subject_kind text NOT NULL,
  subject_id text NOT NULL,
  incident_id uuid,
  route text NOT NULL,
  channel text NOT NULL,
  recipient text NOT NULL,
  payload jsonb NOT NULL,
  payload_version integer NOT NULL,
  on_unknown text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone,
  lease_run_id uuid,
  lease_epoch bigint,
  idempotency_key text NOT NULL,
  external_ref jsonb,
  suppressed_reason text,
  stated_suppressed integer NOT NULL DEFAULT 0,
  error_kind text,
  claimed_turn_id uuid,
  claimed_attempt integer,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  delivered_at timestamp with time zone,
  CONSTRAINT notification_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT notification_deliveries_event_id_route_recipient_key UNIQUE (event_id, route, recipient),
  CONSTRAINT notification_deliveries_idempotency_key_key UNIQUE (idempotency_key),
  CONSTRAINT notification_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES incident_events(id),
  CONSTRAINT notification_deliveries_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES incidents(id),
  CONSTRAINT deliveries_suppressed_says_why CHECK (((status <> 'Suppressed'::text) OR (suppressed_reason IS NOT NULL))),
  CONSTRAINT deliveries_work_item_has_no_incident CHECK (((subject_kind <> 'work_item'::text) OR (incident_id IS NULL))),
  CONSTRAINT notification_deliveries_on_unknown_check CHECK ((on_unknown = ANY (ARRAY['readback'::text, 'resend'::text, 'hold'::text]))),
  CONSTRAINT notification_deliveries_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'Claimed'::text, 'Sending'::text, 'Delivered'::text, 'Suppressed'::text, 'Failed'::text, 'Unknown'::text, 'Withheld'::text]))),
  CONSTRAINT notification_deliveries_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['incident'::text, 'work_item'::text, 'codefix'::text, 'mode'::text, 'policy'::text, 'digest'::text, 'conversation'::text])))
);
CREATE INDEX ix_delivery_due ON notification_deliveries USING btree (status, next_attempt_at) WHERE (status = ANY (ARRAY['Pending'::text, 'Sending'::text, 'Unknown'::text]));
CREATE INDEX ix_delivery_incident ON notification_deliveries USING btree (incident_id) WHERE (incident_id IS NOT NULL);

CREATE TABLE plans (
  id uuid NOT NULL,
  cluster text NOT NULL,
  incident_id uuid NOT NULL,
  investigation_id uuid NOT NULL,
  producer text NOT NULL,
  turn_id uuid,
  raw jsonb NOT NULL,
  schema_version integer NOT NULL,
  status text NOT NULL,
  reject_reason text,
  cited_findings uuid[] NOT NULL,
  proposes_resolved boolean NOT NULL DEFAULT false,
  max_risk text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT plans_pkey PRIMARY KEY (id),
  CONSTRAINT plans_id_cluster_key UNIQUE (id, cluster),
  CONSTRAINT plans_investigation_id_key UNIQUE (investigation_id),
  CONSTRAINT plans_incident_id_cluster_fkey FOREIGN KEY (incident_id, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT plans_investigation_id_fkey FOREIGN KEY (investigation_id) REFERENCES investigations(id),
  CONSTRAINT plans_turn_id_fkey FOREIGN KEY (turn_id, cluster) REFERENCES turns(id, cluster),
  CONSTRAINT plans_producer_check CHECK ((producer = ANY (ARRAY['rules'::text, 'planner'::text, 'job'::text]))),
  CONSTRAINT plans_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'rejected'::text, 'empty'::text])))
);
CREATE INDEX ix_plan_incident ON plans USING btree (incident_id, created_at);

CREATE TABLE principals (
  subject text NOT NULL,
  kind text NOT NULL,
  display_name text NOT NULL,
  aad_object_id uuid,
  github_user_id bigint,
  time_zone text NOT NULL DEFAULT 'UTC'::text,
  erasure_requested_at timestamp with time zone,
  person text,
  CONSTRAINT principals_pkey PRIMARY KEY (subject),
  CONSTRAINT principals_aad_object_id_key UNIQUE (aad_object_id),
  CONSTRAINT principals_github_user_id_key UNIQUE (github_user_id),
  CONSTRAINT principals_person_fkey FOREIGN KEY (person) REFERENCES principals(subject),
  CONSTRAINT principals_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'service'::text]))),
  CONSTRAINT principals_person_is_another CHECK ((person <> subject))
);

CREATE TABLE prompt_heads (
  sha256 character(64) NOT NULL,
  seat text NOT NULL,
  slots jsonb NOT NULL,
  content text NOT NULL,
  bytes integer NOT NULL,
  CONSTRAINT prompt_heads_pkey PRIMARY KEY (sha256),
  CONSTRAINT prompt_heads_bytes_check CHECK ((bytes > 0))
);

CREATE TABLE proposal_edges (
  edge text NOT NULL,
  from_state text NOT NULL DEFAULT ''::text,
  to_state text NOT NULL,
  CONSTRAINT proposal_edges_pkey PRIMARY KEY (edge, from_state, to_state)
);

CREATE TABLE proposals (
  id uuid NOT NULL,
  action_id uuid NOT NULL,
  revision integer NOT NULL,
  canonical text NOT NULL,
  digest character(64) NOT NULL,
  dry_run jsonb,
  target_spec_sha256 character(64) NOT NULL,
  policy_hash character(64) NOT NULL,
  gates jsonb NOT NULL DEFAULT '[]'::jsonb,
  quorum integer NOT NULL DEFAULT 1,
  state text NOT NULL,
  void_reason text,
  proposed_by text NOT NULL,
  requested_by text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL,
  settled_at timestamp with time zone,
  revalidated_sha256 character(64),
  CONSTRAINT proposals_pkey PRIMARY KEY (id),
  CONSTRAINT proposals_action_id_revision_key UNIQUE (action_id, revision),
  CONSTRAINT proposals_digest_key UNIQUE (digest),
  CONSTRAINT proposals_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id),
  CONSTRAINT proposals_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES principals(subject),
  CONSTRAINT proposals_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES principals(subject),
  CONSTRAINT proposals_quorum_check CHECK (((quorum >= 1) AND (quorum <= 2))),
  CONSTRAINT proposals_revision_check CHECK ((revision > 0)),
  CONSTRAINT proposals_settled CHECK (((state = 'Open'::text) = (settled_at IS NULL))),
  CONSTRAINT proposals_state_check CHECK ((state = ANY (ARRAY['Open'::text, 'Approved'::text, 'Denied'::text, 'Expired'::text, 'Superseded'::text, 'Void'::text]))),
  CONSTRAINT proposals_void_says_why CHECK (((state <> 'Void'::text) OR (void_reason IS NOT NULL)))
);
CREATE INDEX ix_proposal_expiry ON proposals USING btree (expires_at) WHERE (state = 'Open'::text);
CREATE UNIQUE INDEX ux_proposal_open ON proposals USING btree (action_id) WHERE (state = 'Open'::text);
CREATE TRIGGER t_frozen BEFORE UPDATE ON proposals FOR EACH ROW EXECUTE FUNCTION proposal_is_frozen();
CREATE TRIGGER t_legal AFTER INSERT OR UPDATE OF state ON proposals FOR EACH ROW EXECUTE FUNCTION proposal_moves_legally();
CREATE CONSTRAINT TRIGGER t_votes AFTER UPDATE OF state ON proposals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION proposal_decided_has_votes();

CREATE TABLE role_grants (
  subject text NOT NULL,
  role text NOT NULL,
  namespace text NOT NULL DEFAULT ''::text,
  granted_by text NOT NULL,
  granted_at timestamp with time zone NOT NULL DEFAULT app_now(),
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  source text NOT NULL DEFAULT 'admin'::text,
  token_sha256 bytea,
  revoked_at timestamp with time zone,
  revoked_by text,
  CONSTRAINT role_grants_pkey PRIMARY KEY (id),
  CONSTRAINT role_grants_granted_by_fkey FOREIGN KEY (granted_by) REFERENCES principals(subject),
  CONSTRAINT role_grants_revoked_by_fkey FOREIGN KEY (revoked_by) REFERENCES principals(subject),
  CONSTRAINT role_grants_subject_fkey FOREIGN KEY (subject) REFERENCES principals(subject),
  CONSTRAINT role_grants_token_sha256_fkey FOREIGN KEY (token_sha256) REFERENCES api_tokens(token_sha256),
  CONSTRAINT role_grants_revoked_by_somebody CHECK (((revoked_at IS NULL) = (revoked_by IS NULL))),
  CONSTRAINT role_grants_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'responder'::text, 'approver'::text, 'admin'::text]))),
  CONSTRAINT role_grants_source_check CHECK ((source = ANY (ARRAY['configuration'::text, 'loopback'::text, 'token'::text, 'admin'::text]))),
  CONSTRAINT role_grants_token_names_its_token CHECK (((source = 'token'::text) = (token_sha256 IS NOT NULL)))
);
CREATE UNIQUE INDEX ux_role_grant ON role_grants USING btree (subject, role, namespace, source, COALESCE(token_sha256, '\x'::bytea));
CREATE TRIGGER t_access AFTER DELETE OR UPDATE ON role_grants FOR EACH STATEMENT EXECUTE FUNCTION notify_access();

CREATE TABLE sign_in_links (
  token_sha256 bytea NOT NULL,
  subject text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  created_by text,
  CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_sha256),
  CONSTRAINT sign_in_links_created_by_fkey FOREIGN KEY (created_by) REFERENCES principals(subject),
  CONSTRAINT sign_in_links_subject_fkey FOREIGN KEY (subject) REFERENCES principals(subject),
  CONSTRAINT sign_in_links_token_sha256_check CHECK ((octet_length(token_sha256) = 32))
);

CREATE TABLE signals (
  id uuid NOT NULL,
  cluster text NOT NULL,
  source text NOT NULL,
  external_key text NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  reason text NOT NULL,
  namespace text,
  owner_kind text,
  owner_name text,
  owner_chain text[] NOT NULL DEFAULT '{}'::text[],
  pod_name text,
  node_name text,
  fingerprint character(64) NOT NULL,
  correlation_key text,
  labels jsonb NOT NULL DEFAULT '{}'::jsonb,
  payload jsonb NOT NULL,
  status text NOT NULL,
  is_self boolean NOT NULL DEFAULT false,
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  received_at timestamp with time zone NOT NULL,
  last_seen_at timestamp with time zone NOT NULL,
  occurrences integer NOT NULL DEFAULT 1,
  intake_id bigint,
  disposition text NOT NULL DEFAULT 'pending'::text,
  disposition_reason text,
  incident_id uuid,
  CONSTRAINT signals_pkey PRIMARY KEY (id),
  CONSTRAINT signals_cluster_source_external_key_key UNIQUE (cluster, source, external_key),
  CONSTRAINT signals_cluster_fkey FOREIGN KEY (cluster) REFERENCES clusters(id),
  CONSTRAINT signals_incident_id_cluster_fkey FOREIGN KEY (incident_id, cluster) REFERENCES incidents(id, cluster),
  CONSTRAINT signals_intake_id_fkey FOREIGN KEY (intake_id) REFERENCES intake(id) ON DELETE SET NULL,
  CONSTRAINT signals_benign_says_why CHECK (((disposition <> 'benign'::text) OR (disposition_reason IS NOT NULL))),
  CONSTRAINT signals_disposition_check CHECK ((disposition = ANY (ARRAY['pending'::text, 'opened'::text, 'collapsed'::text, 'joined'::text, 'absorbed'::text, 'suppressed'::text, 'storm'::text, 'self'::text, 'late'::text, 'benign'::text, 'poison'::text]))),
  CONSTRAINT signals_occurrences_check CHECK ((occurrences > 0)),
  CONSTRAINT signals_poison_says_why CHECK (((disposition <> 'poison'::text) OR (disposition_reason IS NOT NULL))),
  CONSTRAINT signals_settled_says_where CHECK (((disposition <> ALL (ARRAY['opened'::text, 'joined'::text, 'absorbed'::text])) OR (incident_id IS NOT NULL))),
  CONSTRAINT signals_source_check CHECK ((source = ANY (ARRAY['k8s'::text, 'alertmanager'::text, 'promql'::text, 'selfcheck'::text]))),
  CONSTRAINT signals_status_check CHECK ((status = ANY (ARRAY['firing'::text, 'resolved'::text, 'unknown'::text])))
);
CREATE INDEX ix_signal_fp ON signals USING btree (fingerprint, last_seen_at DESC);
CREATE INDEX ix_signal_incident ON signals USING btree (incident_id, received_at) WHERE (incident_id IS NOT NULL);
CREATE INDEX ix_signal_intake ON signals USING btree (intake_id) WHERE (intake_id IS NOT NULL);
CREATE INDEX ix_signal_node ON signals USING btree (cluster, node_name, received_at DESC);
CREATE INDEX ix_signal_payload ON signals USING gin (payload jsonb_path_ops);
CREATE INDEX ix_signal_pending ON signals USING btree (received_at, id) WHERE (disposition = 'pending'::text);

CREATE TABLE steps (
  id uuid NOT NULL,
  cluster text NOT NULL,
  turn_id uuid,
  investigation_id uuid,
  attempt integer NOT NULL,
  epoch bigint NOT NULL,
  ordinal integer NOT NULL,
  tool_call_id text NOT NULL,
  tool_name text NOT NULL,
  args jsonb NOT NULL,
  effect text NOT NULL,
  status text NOT NULL,
  result_text text,
  result_sha256 character(64),
  raw_bytes bigint,
  truncated boolean NOT NULL DEFAULT false,
  tainted boolean NOT NULL DEFAULT false,
  error_kind text,
  requested_at timestamp with time zone NOT NULL DEFAULT app_now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  CONSTRAINT steps_pkey PRIMARY KEY (id),
  CONSTRAINT steps_investigation_id_attempt_ordinal_key UNIQUE (investigation_id, attempt, ordinal),
  CONSTRAINT steps_turn_id_attempt_ordinal_key UNIQUE (turn_id, attempt, ordinal),
  CONSTRAINT steps_turn_id_attempt_tool_call_id_key UNIQUE (turn_id, attempt, tool_call_id),
  CONSTRAINT steps_investigation_id_cluster_fkey FOREIGN KEY (investigation_id, cluster) REFERENCES investigations(id, cluster),
  CONSTRAINT steps_belong_somewhere CHECK ((num_nonnulls(turn_id, investigation_id) > 0)),
  CONSTRAINT steps_effect_check CHECK ((effect = ANY (ARRAY['read'::text, 'conclude'::text, 'ledger'::text, 'external'::text]))),
  CONSTRAINT steps_of_investigators_never_write CHECK (((investigation_id IS NULL) OR (effect = ANY (ARRAY['read'::text, 'conclude'::text])))),
  CONSTRAINT steps_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'running'::text, 'ok'::text, 'error'::text, 'denied'::text, 'skipped'::text, 'timeout'::text, 'unknown'::text])))
);

CREATE TABLE switches (
  name text NOT NULL,
  value text NOT NULL,
  reason text,
  set_by text NOT NULL,
  set_at timestamp with time zone NOT NULL DEFAULT app_now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT switches_pkey PRIMARY KEY (name),
  CONSTRAINT switches_set_by_fkey FOREIGN KEY (set_by) REFERENCES principals(subject)
);

CREATE TABLE turns (
  id uuid NOT NULL,
  cluster text NOT NULL,
  conversation_id uuid NOT NULL,
  kind text NOT NULL,
  request_id text NOT NULL,
  submitted_by text NOT NULL,
  question_seq bigint NOT NULL,
  status text NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  run_id uuid,
  epoch bigint,
  admission jsonb,
  head_sha256 character(64),
  deadline_at timestamp with time zone,
  model_calls integer NOT NULL DEFAULT 0,
  end_reason text,
  outcome jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT turns_pkey PRIMARY KEY (id),
  CONSTRAINT turns_conversation_id_request_id_key UNIQUE (conversation_id, request_id),
  CONSTRAINT turns_id_cluster_key UNIQUE (id, cluster),
  CONSTRAINT turns_conversation_id_cluster_fkey FOREIGN KEY (conversation_id, cluster) REFERENCES conversations(id, cluster),
  CONSTRAINT turns_head_sha256_fkey FOREIGN KEY (head_sha256) REFERENCES prompt_heads(sha256),
  CONSTRAINT turns_submitted_by_fkey FOREIGN KEY (submitted_by) REFERENCES principals(subject),
  CONSTRAINT turns_attempt_check CHECK ((attempt >= 0)),
  CONSTRAINT turns_end_once CHECK (((status = ANY (ARRAY['STOPPED'::text, 'DONE'::text, 'FAILED'::text, 'UNKNOWN'::text])) = (ended_at IS NOT NULL))),
  CONSTRAINT turns_kind_check CHECK ((kind = ANY (ARRAY['conversation'::text, 'investigation'::text, 'planner'::text, 'digest'::text, 'internal'::text]))),
  CONSTRAINT turns_running_are_whole CHECK (((status <> 'RUNNING'::text) OR ((run_id IS NOT NULL) AND (epoch IS NOT NULL) AND (head_sha256 IS NOT NULL) AND (admission IS NOT NULL)))),
  CONSTRAINT turns_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'STOPPED'::text, 'DONE'::text, 'FAILED'::text, 'UNKNOWN'::text])))
);
CREATE UNIQUE INDEX ux_turn_running ON turns USING btree (conversation_id) WHERE (status = 'RUNNING'::text);
CREATE TRIGGER t_turn_run BEFORE INSERT OR UPDATE OF status, run_id, epoch ON turns FOR EACH ROW WHEN ((new.status = 'RUNNING'::text)) EXECUTE FUNCTION turn_runs_under_its_lease();

CREATE TABLE verifications (
  action_id uuid NOT NULL,
  subject text NOT NULL DEFAULT 'action'::text,
  attempt integer NOT NULL,
  question text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  ran_at timestamp with time zone,
  result text,
  predicates jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT verifications_pkey PRIMARY KEY (action_id, subject, attempt),
  CONSTRAINT verifications_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id),
  CONSTRAINT verifications_attempt_check CHECK (((attempt >= 1) AND (attempt <= 3))),
  CONSTRAINT verifications_question_check CHECK ((question = ANY (ARRAY['obvious_break'::text, 'converged'::text, 'came_back'::text, 'restored'::text]))),
  CONSTRAINT verifications_ran_has_result CHECK (((ran_at IS NULL) = (result IS NULL))),
  CONSTRAINT verifications_result_check CHECK ((result = ANY (ARRAY['Passed'::text, 'Failed'::text, 'Inconclusive'::text]))),
  CONSTRAINT verifications_subject_check CHECK ((subject = ANY (ARRAY['action'::text, 'rollback'::text])))
);
CREATE INDEX ix_verification_due ON verifications USING btree (due_at) WHERE (ran_at IS NULL);

CREATE TABLE web_sessions (
  token_sha256 bytea NOT NULL,
  subject text NOT NULL,
  csrf_sha256 bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  seen_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  link_made_by text,
  CONSTRAINT web_sessions_pkey PRIMARY KEY (token_sha256),
  CONSTRAINT web_sessions_link_made_by_fkey FOREIGN KEY (link_made_by) REFERENCES principals(subject),
  CONSTRAINT web_sessions_subject_fkey FOREIGN KEY (subject) REFERENCES principals(subject),
  CONSTRAINT web_sessions_csrf_sha256_check CHECK ((octet_length(csrf_sha256) = 32)),
  CONSTRAINT web_sessions_token_sha256_check CHECK ((octet_length(token_sha256) = 32))
);
CREATE INDEX ix_web_session_subject ON web_sessions USING btree (subject);
CREATE TRIGGER t_access AFTER UPDATE OF revoked_at ON web_sessions FOR EACH STATEMENT EXECUTE FUNCTION notify_access();

CREATE TABLE work_attempts (
  kind text NOT NULL,
  key text NOT NULL,
  deaths integer NOT NULL DEFAULT 0,
  holder jsonb,
  begun_at timestamp with time zone NOT NULL,
  CONSTRAINT work_attempts_pkey PRIMARY KEY (kind, key),
  CONSTRAINT work_attempts_deaths_check CHECK ((deaths >= 0)),
  CONSTRAINT work_attempts_kind_check CHECK ((kind = ANY (ARRAY['body'::text, 'investigation'::text, 'plan'::text])))
);

CREATE TABLE workload_samples (
  cluster text NOT NULL,
  namespace text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  at timestamp with time zone NOT NULL,
  desired integer NOT NULL,
  ready integer NOT NULL,
  restarts integer NOT NULL,
  CONSTRAINT workload_samples_pkey PRIMARY KEY (cluster, namespace, kind, name, at)
);
CREATE INDEX ix_workload_sample_at ON workload_samples USING btree (at);

CREATE TABLE workloads (
  cluster text NOT NULL,
  namespace text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  uid text,
  cooldown_until timestamp with time zone,
  cooldown_action_id uuid,
  quarantined_until timestamp with time zone,
  quarantine_action_type text,
  quarantine_reason text,
  notify_last_sent_at timestamp with time zone,
  notify_suppressed_since timestamp with time zone,
  notify_suppressed_count integer NOT NULL DEFAULT 0,
  CONSTRAINT workloads_pkey PRIMARY KEY (cluster, namespace, kind, name),
  CONSTRAINT workloads_cluster_fkey FOREIGN KEY (cluster) REFERENCES clusters(id)
);

CREATE OR REPLACE FUNCTION action_approved_has_proposal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  IF NEW.state <> 'Approved' OR NEW.state = OLD.state THEN RETURN NULL; END IF;
  PERFORM 1 FROM proposals p WHERE p.action_id = NEW.id AND p.state = 'Approved';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'action % is approved without an approved proposal', NEW.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'action_approved_has_proposal', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION action_moves_legally()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ DECLARE left_state text := ''; BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.state = OLD.state THEN RETURN NULL; END IF;
    left_state := OLD.state;
  END IF;
  PERFORM 1 FROM action_edges g WHERE g.from_state = left_state AND g.to_state = NEW.state;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'action %: no legal edge from % to %', NEW.id, left_state, NEW.state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'action_moves_legally', TABLE = TG_TABLE_NAME;
  END IF;
  IF left_state = 'Proposed' AND NEW.state = 'Admitted' AND NEW.decision IS DISTINCT FROM 'Allow' THEN
    RAISE EXCEPTION 'action % was admitted without a person and without the decision Allow', NEW.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'action_moves_legally', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION action_state_since()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  IF NEW.state <> OLD.state AND NEW.state_since = OLD.state_since THEN NEW.state_since := app_now(); END IF;
  RETURN NEW; END $function$;

CREATE OR REPLACE FUNCTION app_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
AS $function$ SELECT clock_timestamp() + coalesce(nullif(current_setting('hephaisto.clock_offset', true), ''), '0')::interval $function$;

CREATE OR REPLACE FUNCTION approval_is_for_what_was_shown()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  IF NEW.proposal_id IS NULL THEN RETURN NEW; END IF;
  PERFORM 1 FROM proposals p WHERE p.id = NEW.proposal_id AND p.digest = NEW.subject_sha256;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'vote on proposal % carries another digest than the proposal', NEW.proposal_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'approval_is_for_what_was_shown', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $function$;

CREATE OR REPLACE FUNCTION cluster_health_epoch_grows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  IF NEW.epoch < OLD.epoch THEN
    RAISE EXCEPTION 'the health of cluster % was counted by a later leader', OLD.cluster
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'cluster_health_epoch_grows', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $function$;

CREATE OR REPLACE FUNCTION deny_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $function$;

CREATE OR REPLACE FUNCTION incident_event_is_legal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ DECLARE stands_at text; BEGIN
  IF NEW.kind <> 'transition' THEN RETURN NEW; END IF;
  SELECT e.to_state INTO stands_at FROM incident_events e
   WHERE e.incident_id = NEW.incident_id AND e.kind = 'transition' ORDER BY e.seq DESC LIMIT 1;
  IF coalesce(NEW.from_state, '') <> coalesce(stands_at, '') THEN
    RAISE EXCEPTION 'incident %: event leaves %, but the log stands at %', NEW.incident_id, coalesce(NEW.from_state, ''), coalesce(stands_at, '')
      USING ERRCODE = 'check_violation', CONSTRAINT = 'incident_event_is_legal', TABLE = TG_TABLE_NAME;
  END IF;
  PERFORM 1 FROM incident_edges g WHERE g.edge = NEW.edge AND g.from_state = coalesce(NEW.from_state, '') AND g.to_state = NEW.to_state;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'incident %: % is no legal edge from % to %', NEW.incident_id, NEW.edge, coalesce(NEW.from_state, ''), NEW.to_state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'incident_event_is_legal', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $function$;

CREATE OR REPLACE FUNCTION incident_event_took_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ DECLARE stands_at text; is_at text; BEGIN
  IF NEW.kind <> 'transition' THEN RETURN NULL; END IF;
  SELECT e.to_state INTO stands_at FROM incident_events e
   WHERE e.incident_id = NEW.incident_id AND e.kind = 'transition' ORDER BY e.seq DESC LIMIT 1;
  SELECT i.state INTO is_at FROM incidents i WHERE i.id = NEW.incident_id;
  IF is_at <> stands_at THEN
    RAISE EXCEPTION 'incident % is %, but its log says %', NEW.incident_id, is_at, stands_at
      USING ERRCODE = 'check_violation', CONSTRAINT = 'incident_event_took_place', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION incident_state_has_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ DECLARE left_state text := ''; BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.state = OLD.state THEN RETURN NULL; END IF;
    left_state := OLD.state;
  END IF;
  PERFORM 1 FROM incident_events e WHERE e.incident_id = NEW.id AND e.kind = 'transition' AND e.to_state = NEW.state
     AND coalesce(e.from_state, '') = left_state AND e.xid = pg_current_xact_id();
  IF NOT FOUND THEN
    RAISE EXCEPTION 'incident % moved from % to % without an event', NEW.id, left_state, NEW.state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'incident_state_has_event', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION lease_epoch_grows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'leases are kept for ever, so that epochs only grow'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'lease_epoch_grows', TABLE = TG_TABLE_NAME;
  END IF;
  IF (NEW.kind, NEW.subject_key) IS DISTINCT FROM (OLD.kind, OLD.subject_key) OR NEW.epoch < OLD.epoch
     OR (NEW.run_id <> OLD.run_id) <> (NEW.epoch > OLD.epoch) THEN
    RAISE EXCEPTION 'lease % % cannot go from epoch % to %', OLD.kind, OLD.subject_key, OLD.epoch, NEW.epoch
      USING ERRCODE = 'check_violation', CONSTRAINT = 'lease_epoch_grows', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $function$;

CREATE OR REPLACE FUNCTION notify_access()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  PERFORM pg_notify('hephaisto_access', '');
  RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION person_of(account text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(b.person, a.person, a.subject) FROM principals a LEFT JOIN principals b ON b.subject = a.person WHERE a.subject = account $function$;

CREATE OR REPLACE FUNCTION proposal_decided_has_votes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE yes integer; no integer; BEGIN
  IF NEW.state NOT IN ('Approved', 'Denied') OR NEW.state = OLD.state THEN RETURN NULL; END IF;
  SELECT count(DISTINCT person_of(a.actor)) FILTER (WHERE a.decision = 'approve'), count(*) FILTER (WHERE a.decision = 'deny') INTO yes, no
    FROM approvals a WHERE a.proposal_id = NEW.id;
  IF (NEW.state = 'Approved' AND (yes < NEW.quorum OR no > 0)) OR (NEW.state = 'Denied' AND no = 0) THEN
    RAISE EXCEPTION 'proposal % is % with the votes of % of % people for and % against', NEW.id, NEW.state, yes, NEW.quorum, no
      USING ERRCODE = 'check_violation', CONSTRAINT = 'proposal_decided_has_votes', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION proposal_is_frozen()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  IF (NEW.id, NEW.action_id, NEW.revision, NEW.canonical, NEW.digest, NEW.target_spec_sha256, NEW.policy_hash, NEW.quorum, NEW.expires_at)
     IS DISTINCT FROM
     (OLD.id, OLD.action_id, OLD.revision, OLD.canonical, OLD.digest, OLD.target_spec_sha256, OLD.policy_hash, OLD.quorum, OLD.expires_at)
     OR NEW.dry_run IS DISTINCT FROM OLD.dry_run OR NEW.gates IS DISTINCT FROM OLD.gates THEN
    RAISE EXCEPTION 'proposal % is frozen; make a new revision', OLD.id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'proposal_is_frozen', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $function$;

CREATE OR REPLACE FUNCTION proposal_moves_legally()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ DECLARE left_state text := ''; BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.state = OLD.state THEN RETURN NULL; END IF;
    left_state := OLD.state;
  END IF;
  PERFORM 1 FROM proposal_edges g WHERE g.from_state = left_state AND g.to_state = NEW.state;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'proposal %: no legal edge from % to %', NEW.id, left_state, NEW.state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'proposal_moves_legally', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION turn_runs_under_its_lease()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ BEGIN
  PERFORM 1 FROM leases l WHERE l.run_id = NEW.run_id AND l.epoch = NEW.epoch AND l.released_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'turn % is RUNNING without its run', NEW.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'turn_runs_under_its_lease', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $function$;
