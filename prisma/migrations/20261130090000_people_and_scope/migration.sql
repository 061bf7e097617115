-- The database's only clock: its own, plus an offset that only tests set. Volatile, so that two calls in one transaction differ
-- and a lease that expires while a statement waits for a lock is seen as expired.
CREATE FUNCTION app_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$ SELECT clock_timestamp() + coalesce(nullif(current_setting('hephaisto.clock_offset', true), ''), '0')::interval $$;

CREATE TABLE clusters (
  id text PRIMARY KEY,                           -- uid of the kube-system namespace; never a name that two clusters may share
  is_local boolean NOT NULL,
  display_name text NOT NULL,
  aliases text[] NOT NULL DEFAULT '{}');         -- values of the cluster label in alerts; an unknown one opens an incident that cannot act

CREATE TABLE principals (                        -- persons and named services, never one synthetic system user
  subject text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('person', 'service')),
  display_name text NOT NULL,
  aad_object_id uuid UNIQUE,
  github_user_id bigint UNIQUE,
  time_zone text NOT NULL DEFAULT 'UTC',
  erasure_requested_at timestamptz);             -- write fence: writers select FOR SHARE, erasure FOR UPDATE, before any other row lock

CREATE TABLE role_grants (                       -- namespace '' = everywhere
  subject text NOT NULL REFERENCES principals,
  role text NOT NULL CHECK (role IN ('viewer', 'responder', 'approver', 'admin')),
  namespace text NOT NULL DEFAULT '',
  granted_by text NOT NULL REFERENCES principals,
  granted_at timestamptz NOT NULL DEFAULT app_now(),
  PRIMARY KEY (subject, role, namespace));

CREATE TABLE sign_in_links (
  token_sha256 bytea PRIMARY KEY CHECK (octet_length(token_sha256) = 32),
  subject text NOT NULL REFERENCES principals,
  expires_at timestamptz NOT NULL,
  used_at timestamptz);

CREATE TABLE web_sessions (
  token_sha256 bytea PRIMARY KEY CHECK (octet_length(token_sha256) = 32),
  subject text NOT NULL REFERENCES principals,
  csrf_sha256 bytea NOT NULL CHECK (octet_length(csrf_sha256) = 32),
  created_at timestamptz NOT NULL DEFAULT app_now(),
  seen_at timestamptz NOT NULL DEFAULT app_now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz);
CREATE INDEX ix_web_session_subject ON web_sessions (subject);

CREATE TABLE api_tokens (
  token_sha256 bytea PRIMARY KEY CHECK (octet_length(token_sha256) = 32),
  subject text NOT NULL REFERENCES principals,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz);
CREATE INDEX ix_api_token_subject ON api_tokens (subject);

CREATE TABLE idempotency_keys (
  principal text NOT NULL REFERENCES principals,
  key text NOT NULL,
  request_sha256 char(64) NOT NULL,
  status integer,                                -- null while the first request is under way
  body jsonb,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  PRIMARY KEY (principal, key));
CREATE INDEX ix_idempotency_created ON idempotency_keys (created_at);

CREATE TABLE leases (                            -- one row per subject, kept after release so that the epoch never goes back
  kind text NOT NULL CHECK (kind IN ('leader', 'intake', 'triage', 'investigation', 'action', 'verification', 'delivery', 'turn',
    'compaction', 'session', 'sweeper')),
  subject_key text NOT NULL,
  cluster text,
  run_id uuid NOT NULL,
  epoch bigint NOT NULL CHECK (epoch > 0),
  holder jsonb NOT NULL,
  acquired_at timestamptz NOT NULL,
  renewed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  deadline_at timestamptz,
  released_at timestamptz,
  PRIMARY KEY (kind, subject_key),
  UNIQUE (run_id));
