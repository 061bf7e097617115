-- Wakes the live streams when rights may have ended, so that none hears of an event that is committed afterwards. A hint, never news: the
-- streams check by themselves once a second.
CREATE FUNCTION notify_access() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('hephaisto_access', '');
  RETURN NULL; END $$;
CREATE TRIGGER t_access AFTER UPDATE OR DELETE ON role_grants FOR EACH STATEMENT EXECUTE FUNCTION notify_access();
CREATE TRIGGER t_access AFTER UPDATE OF revoked_at ON web_sessions FOR EACH STATEMENT EXECUTE FUNCTION notify_access();
CREATE TRIGGER t_access AFTER UPDATE OF revoked_at ON api_tokens FOR EACH STATEMENT EXECUTE FUNCTION notify_access();
