CREATE TABLE prompt_heads (                      -- what stands at the head of a conversation, by its content; frozen for a turn
  sha256 char(64) PRIMARY KEY,
  seat text NOT NULL,
  slots jsonb NOT NULL,
  content text NOT NULL,                         -- the exact text that the hash is of: slots and palette in their order
  bytes integer NOT NULL CHECK (bytes > 0));

CREATE TABLE conversations (
  id uuid PRIMARY KEY,
  cluster text NOT NULL REFERENCES clusters,
  kind text NOT NULL CHECK (kind IN ('incident', 'thread', 'investigation', 'planner', 'digest')),
  incident_id uuid,
  next_seq bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  UNIQUE (id, cluster),
  FOREIGN KEY (incident_id, cluster) REFERENCES incidents (id, cluster));
CREATE UNIQUE INDEX ux_conversation_seat ON conversations (cluster, incident_id, kind) WHERE kind IN ('incident', 'investigation', 'planner');

CREATE TABLE turns (                             -- the admission record and the run record
  id uuid PRIMARY KEY,
  cluster text NOT NULL,
  conversation_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('conversation', 'investigation', 'planner', 'digest', 'internal')),
  request_id text NOT NULL,                      -- repeating a request finds the turn that it made
  submitted_by text NOT NULL REFERENCES principals,
  question_seq bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'STOPPED', 'DONE', 'FAILED', 'UNKNOWN')),
  attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  run_id uuid,
  epoch bigint,
  admission jsonb,                               -- frozen: model, price, budgets
  head_sha256 char(64) REFERENCES prompt_heads,
  deadline_at timestamptz,
  model_calls integer NOT NULL DEFAULT 0,
  end_reason text,
  outcome jsonb,                                 -- what a planner turn answered, checked
  created_at timestamptz NOT NULL DEFAULT app_now(),
  started_at timestamptz,
  ended_at timestamptz,
  UNIQUE (id, cluster),
  UNIQUE (conversation_id, request_id),
  FOREIGN KEY (conversation_id, cluster) REFERENCES conversations (id, cluster),
  CONSTRAINT turns_running_are_whole
    CHECK (status <> 'RUNNING' OR (run_id IS NOT NULL AND epoch IS NOT NULL AND head_sha256 IS NOT NULL AND admission IS NOT NULL)),
  CONSTRAINT turns_end_once CHECK ((status IN ('STOPPED', 'DONE', 'FAILED', 'UNKNOWN')) = (ended_at IS NOT NULL)));
CREATE UNIQUE INDEX ux_turn_running ON turns (conversation_id) WHERE status = 'RUNNING';

CREATE TABLE llm_usage (                         -- one row a call that left us, written before it leaves: a crash still leaves it countable
  id uuid PRIMARY KEY,
  turn_id uuid NOT NULL REFERENCES turns,
  investigation_id uuid REFERENCES investigations,
  attempt integer NOT NULL,
  run_id uuid NOT NULL,
  epoch bigint NOT NULL,
  call_no integer NOT NULL CHECK (call_no > 0),
  purpose text NOT NULL CHECK (purpose IN ('turn', 'plan', 'summary', 'grace', 'title', 'digest', 'embed', 'job')),
  provider text NOT NULL,
  model text NOT NULL,
  host text NOT NULL,
  price jsonb NOT NULL,
  input_tokens integer NOT NULL DEFAULT 0,
  output_tokens integer NOT NULL DEFAULT 0,
  reasoning_tokens integer NOT NULL DEFAULT 0,
  cache_read_tokens integer NOT NULL DEFAULT 0,
  cache_write_tokens integer NOT NULL DEFAULT 0,
  reserved_usd numeric(12,6) NOT NULL,           -- the most it can cost; counts as spent until it has ended
  cost_usd numeric(12,6) NOT NULL DEFAULT 0,
  notional_usd numeric(12,6),
  billing text NOT NULL CHECK (billing IN ('metered', 'subscription')),
  self_reported boolean NOT NULL DEFAULT false,
  outcome text NOT NULL CHECK (outcome IN ('started', 'ok', 'error', 'stalled', 'aborted', 'truncated', 'lost')),
  error_kind text,
  http_status integer,
  first_byte_ms integer,
  started_at timestamptz NOT NULL DEFAULT app_now(),
  ended_at timestamptz,
  UNIQUE (turn_id, call_no),
  CONSTRAINT llm_usage_ends_once CHECK ((outcome = 'started') = (ended_at IS NULL)),
  CONSTRAINT llm_usage_subscription_costs_nothing CHECK (billing <> 'subscription' OR cost_usd = 0));
CREATE INDEX ix_llm_usage_window ON llm_usage (started_at);
CREATE INDEX ix_llm_usage_open ON llm_usage (started_at) WHERE outcome = 'started';
CREATE INDEX ix_llm_usage_investigation ON llm_usage (investigation_id);

CREATE TABLE model_exchanges (                   -- what a call carried and brought: the journal that a turn is taken up from; expires
  usage_id uuid PRIMARY KEY REFERENCES llm_usage ON DELETE CASCADE,
  appended text NOT NULL,                        -- messages that no earlier call of the turn carried, exactly as they were made
  answer text,                                   -- the message that came, with the provider's own marks
  sent bytea NOT NULL,                           -- the exact body, compressed
  sent_bytes integer NOT NULL,
  sent_sha256 char(64) NOT NULL,
  expires_at timestamptz NOT NULL DEFAULT app_now() + interval '30 days');
CREATE INDEX ix_model_exchange_expiry ON model_exchanges (expires_at);

ALTER TABLE investigations ADD CONSTRAINT investigations_turn_id_fkey FOREIGN KEY (turn_id, cluster) REFERENCES turns (id, cluster);
ALTER TABLE investigations ADD COLUMN model_note jsonb;         -- whether a model looked, which, and if not, why
ALTER TABLE investigations ADD COLUMN stop_requested_by text REFERENCES principals;
ALTER TABLE investigations ADD COLUMN stop_requested_at timestamptz;
ALTER TABLE plans ADD CONSTRAINT plans_turn_id_fkey FOREIGN KEY (turn_id, cluster) REFERENCES turns (id, cluster);

-- A turn runs only under the lease it names: whoever has lost it cannot make the row say otherwise.
CREATE FUNCTION turn_runs_under_its_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM 1 FROM leases l WHERE l.run_id = NEW.run_id AND l.epoch = NEW.epoch AND l.released_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'turn % is RUNNING without its run', NEW.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'turn_runs_under_its_lease', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $$;
CREATE TRIGGER t_turn_run BEFORE INSERT OR UPDATE OF status, run_id, epoch ON turns FOR EACH ROW WHEN (NEW.status = 'RUNNING')
  EXECUTE FUNCTION turn_runs_under_its_lease();
