-- An action whose work keeps throwing is tried a bounded number of times, with pauses, and then ends as a dead letter. It must not be taken
-- up for ever while its stage looks healthy. Every move to another state starts the count anew.
ALTER TABLE actions ADD COLUMN failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0);
ALTER TABLE actions ADD COLUMN failure text;
ALTER TABLE actions ADD COLUMN retry_at timestamptz;
ALTER TABLE actions ADD COLUMN dead_letter_at timestamptz;
ALTER TABLE actions ADD CONSTRAINT actions_failure_says_why CHECK ((failures = 0 AND dead_letter_at IS NULL) OR failure IS NOT NULL);
CREATE INDEX ix_actions_failing ON actions (failures) WHERE failures > 0 OR dead_letter_at IS NOT NULL;
