-- What must hold even when the program is wrong. Messages are for the program's author; the program itself checks first.

CREATE FUNCTION deny_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;
CREATE TRIGGER t_append BEFORE UPDATE OR DELETE ON incident_events FOR EACH ROW EXECUTE FUNCTION deny_change();
CREATE TRIGGER t_append BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION deny_change();
CREATE TRIGGER t_append BEFORE UPDATE OR DELETE ON approvals FOR EACH ROW EXECUTE FUNCTION deny_change();
CREATE TRIGGER t_trunc BEFORE TRUNCATE ON incident_events EXECUTE FUNCTION deny_change();
CREATE TRIGGER t_trunc BEFORE TRUNCATE ON audit_log EXECUTE FUNCTION deny_change();
CREATE TRIGGER t_trunc BEFORE TRUNCATE ON approvals EXECUTE FUNCTION deny_change();

-- Incidents: a state change needs an event of the same transaction, and the event must be a legal edge from where the log stands.
CREATE FUNCTION incident_event_is_legal() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE stands_at text; BEGIN
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
  RETURN NEW; END $$;
CREATE TRIGGER t_legal BEFORE INSERT ON incident_events FOR EACH ROW EXECUTE FUNCTION incident_event_is_legal();

CREATE FUNCTION incident_event_took_place() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE stands_at text; is_at text; BEGIN
  IF NEW.kind <> 'transition' THEN RETURN NULL; END IF;
  SELECT e.to_state INTO stands_at FROM incident_events e
   WHERE e.incident_id = NEW.incident_id AND e.kind = 'transition' ORDER BY e.seq DESC LIMIT 1;
  SELECT i.state INTO is_at FROM incidents i WHERE i.id = NEW.incident_id;
  IF is_at <> stands_at THEN
    RAISE EXCEPTION 'incident % is %, but its log says %', NEW.incident_id, is_at, stands_at
      USING ERRCODE = 'check_violation', CONSTRAINT = 'incident_event_took_place', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER t_took_place AFTER INSERT ON incident_events DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION incident_event_took_place();

CREATE FUNCTION incident_state_has_event() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE left_state text := ''; BEGIN
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
  RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER t_state_event AFTER INSERT OR UPDATE OF state ON incidents DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION incident_state_has_event();

-- Actions and proposals: the pair of states must be a legal edge. What an edge presupposes is checked where it can be read off rows.
CREATE FUNCTION action_moves_legally() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE left_state text := ''; BEGIN
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
  RETURN NULL; END $$;
CREATE TRIGGER t_legal AFTER INSERT OR UPDATE OF state ON actions FOR EACH ROW EXECUTE FUNCTION action_moves_legally();

CREATE FUNCTION action_state_since() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.state <> OLD.state AND NEW.state_since = OLD.state_since THEN NEW.state_since := app_now(); END IF;
  RETURN NEW; END $$;
CREATE TRIGGER t_since BEFORE UPDATE OF state ON actions FOR EACH ROW EXECUTE FUNCTION action_state_since();

CREATE FUNCTION action_approved_has_proposal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.state <> 'Approved' OR NEW.state = OLD.state THEN RETURN NULL; END IF;
  PERFORM 1 FROM proposals p WHERE p.action_id = NEW.id AND p.state = 'Approved';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'action % is approved without an approved proposal', NEW.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'action_approved_has_proposal', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER t_approved AFTER UPDATE OF state ON actions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION action_approved_has_proposal();

CREATE FUNCTION proposal_moves_legally() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE left_state text := ''; BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.state = OLD.state THEN RETURN NULL; END IF;
    left_state := OLD.state;
  END IF;
  PERFORM 1 FROM proposal_edges g WHERE g.from_state = left_state AND g.to_state = NEW.state;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'proposal %: no legal edge from % to %', NEW.id, left_state, NEW.state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'proposal_moves_legally', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER t_legal AFTER INSERT OR UPDATE OF state ON proposals FOR EACH ROW EXECUTE FUNCTION proposal_moves_legally();

CREATE FUNCTION proposal_is_frozen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF (NEW.id, NEW.action_id, NEW.revision, NEW.canonical, NEW.digest, NEW.target_spec_sha256, NEW.policy_hash, NEW.quorum, NEW.expires_at)
     IS DISTINCT FROM
     (OLD.id, OLD.action_id, OLD.revision, OLD.canonical, OLD.digest, OLD.target_spec_sha256, OLD.policy_hash, OLD.quorum, OLD.expires_at)
     OR NEW.dry_run IS DISTINCT FROM OLD.dry_run OR NEW.gates IS DISTINCT FROM OLD.gates THEN
    RAISE EXCEPTION 'proposal % is frozen; make a new revision', OLD.id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'proposal_is_frozen', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $$;
CREATE TRIGGER t_frozen BEFORE UPDATE ON proposals FOR EACH ROW EXECUTE FUNCTION proposal_is_frozen();

CREATE FUNCTION proposal_decided_has_votes() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE yes integer; no integer; BEGIN
  IF NEW.state NOT IN ('Approved', 'Denied') OR NEW.state = OLD.state THEN RETURN NULL; END IF;
  SELECT count(*) FILTER (WHERE a.decision = 'approve'), count(*) FILTER (WHERE a.decision = 'deny') INTO yes, no
    FROM approvals a WHERE a.proposal_id = NEW.id;
  IF (NEW.state = 'Approved' AND (yes < NEW.quorum OR no > 0)) OR (NEW.state = 'Denied' AND no = 0) THEN
    RAISE EXCEPTION 'proposal % is % with % of % votes for and % against', NEW.id, NEW.state, yes, NEW.quorum, no
      USING ERRCODE = 'check_violation', CONSTRAINT = 'proposal_decided_has_votes', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER t_votes AFTER UPDATE OF state ON proposals DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION proposal_decided_has_votes();

CREATE FUNCTION approval_is_for_what_was_shown() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.proposal_id IS NULL THEN RETURN NEW; END IF;
  PERFORM 1 FROM proposals p WHERE p.id = NEW.proposal_id AND p.digest = NEW.subject_sha256;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'vote on proposal % carries another digest than the proposal', NEW.proposal_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'approval_is_for_what_was_shown', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $$;
CREATE TRIGGER t_shown BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION approval_is_for_what_was_shown();

-- Leases: a subject's epoch only grows, and a new holder always means a new epoch.
CREATE FUNCTION lease_epoch_grows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'leases are kept for ever, so that epochs only grow'
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'lease_epoch_grows', TABLE = TG_TABLE_NAME;
  END IF;
  IF (NEW.kind, NEW.subject_key) IS DISTINCT FROM (OLD.kind, OLD.subject_key) OR NEW.epoch < OLD.epoch
     OR (NEW.run_id <> OLD.run_id) <> (NEW.epoch > OLD.epoch) THEN
    RAISE EXCEPTION 'lease % % cannot go from epoch % to %', OLD.kind, OLD.subject_key, OLD.epoch, NEW.epoch
      USING ERRCODE = 'check_violation', CONSTRAINT = 'lease_epoch_grows', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $$;
CREATE TRIGGER t_epoch BEFORE UPDATE OR DELETE ON leases FOR EACH ROW EXECUTE FUNCTION lease_epoch_grows();
CREATE TRIGGER t_trunc BEFORE TRUNCATE ON leases EXECUTE FUNCTION deny_change();
