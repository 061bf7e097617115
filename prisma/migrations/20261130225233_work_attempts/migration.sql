-- What a process begins is written down before it begins: a process that dies of its work cannot say so afterwards. A row without a holder
-- counts the deaths of earlier owners; rows are deleted when the work is done.
CREATE TABLE work_attempts (
  kind text NOT NULL CHECK (kind IN ('body', 'investigation', 'plan')),
  key text NOT NULL,
  deaths integer NOT NULL DEFAULT 0 CHECK (deaths >= 0),
  holder jsonb,
  begun_at timestamptz NOT NULL,
  CONSTRAINT work_attempts_pkey PRIMARY KEY (kind, key)
);
