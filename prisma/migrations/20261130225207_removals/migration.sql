-- A rollback of a StatefulSet removes the pods that its controller cannot replace. Each removal is a call of its own, written down before it is sent.
ALTER TABLE action_attempts DROP CONSTRAINT action_attempts_phase_check;
ALTER TABLE action_attempts ADD CONSTRAINT action_attempts_phase_check CHECK (phase IN ('dry_run', 'execute', 'removal', 'rollback'));
DROP INDEX ux_attempt_effect;
CREATE UNIQUE INDEX ux_attempt_effect ON action_attempts (action_id, phase)
  WHERE phase IN ('execute', 'rollback') AND outcome IN ('started', 'succeeded', 'unknown');
-- The same for each pod: a removal that may have taken effect is never sent again.
CREATE UNIQUE INDEX ux_attempt_removal ON action_attempts (action_id, (request ->> 'name'))
  WHERE phase = 'removal' AND outcome IN ('started', 'succeeded', 'unknown');
