-- A condition whose object can no longer be read is neither firing nor over: nobody knows. It counts as not over everywhere.
ALTER TABLE signals DROP CONSTRAINT signals_status_check;
ALTER TABLE signals ADD CONSTRAINT signals_status_check CHECK (status IN ('firing', 'resolved', 'unknown'));
