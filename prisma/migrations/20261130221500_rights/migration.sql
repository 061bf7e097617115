-- Several accounts may belong to one person. A quorum counts people, so each account names its person; NULL means itself. A service names
-- the person who made it, since that person has held its secret.
ALTER TABLE principals ADD COLUMN person text REFERENCES principals;
ALTER TABLE principals ADD CONSTRAINT principals_person_is_another CHECK (person <> subject);

-- Two steps are enough: a service belongs to an account, and that account to a person.
CREATE FUNCTION person_of(account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(b.person, a.person, a.subject) FROM principals a LEFT JOIN principals b ON b.subject = a.person WHERE a.subject = account $$;

-- A token holds its own grant as far as its principal holds it too.
ALTER TABLE api_tokens ADD COLUMN role text CHECK (role IN ('viewer', 'responder', 'approver', 'admin'));
ALTER TABLE api_tokens ADD COLUMN namespaces text[];
ALTER TABLE api_tokens ADD COLUMN created_by text REFERENCES principals;
UPDATE api_tokens t SET role = a.role, namespaces = ARRAY[a.namespace], created_by = a.actor
  FROM (SELECT DISTINCT ON (subject_id) subject_id, detail ->> 'role' AS role, coalesce(detail ->> 'namespace', '') AS namespace, actor
        FROM audit_log WHERE verb = 'token.create' AND subject_kind = 'token' ORDER BY subject_id, id DESC) a
  WHERE left(encode(t.token_sha256, 'hex'), 16) = a.subject_id;
-- Without a record of what the token was made for, it keeps the least that its principal holds.
UPDATE api_tokens t SET role = coalesce((SELECT g.role FROM role_grants g WHERE g.subject = t.subject
    ORDER BY array_position(ARRAY['viewer', 'responder', 'approver', 'admin'], g.role) LIMIT 1), 'viewer') WHERE t.role IS NULL;
UPDATE api_tokens t SET namespaces = coalesce((SELECT array_agg(g.namespace ORDER BY g.namespace) FROM role_grants g
    WHERE g.subject = t.subject AND g.role = t.role), '{}') WHERE t.namespaces IS NULL;
ALTER TABLE api_tokens ALTER COLUMN role SET NOT NULL, ALTER COLUMN namespaces SET NOT NULL;

-- A grant names its source, so that it ends with its source.
ALTER TABLE role_grants ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
ALTER TABLE role_grants ADD COLUMN source text NOT NULL DEFAULT 'admin';
ALTER TABLE role_grants ADD COLUMN token_sha256 bytea REFERENCES api_tokens;
ALTER TABLE role_grants ADD COLUMN revoked_at timestamptz;
ALTER TABLE role_grants ADD COLUMN revoked_by text REFERENCES principals;
ALTER TABLE role_grants DROP CONSTRAINT role_grants_pkey;
ALTER TABLE role_grants ADD PRIMARY KEY (id);
ALTER TABLE role_grants ADD CONSTRAINT role_grants_source_check CHECK (source IN ('configuration', 'loopback', 'token', 'admin'));
ALTER TABLE role_grants ADD CONSTRAINT role_grants_token_names_its_token CHECK ((source = 'token') = (token_sha256 IS NOT NULL));
ALTER TABLE role_grants ADD CONSTRAINT role_grants_revoked_by_somebody CHECK ((revoked_at IS NULL) = (revoked_by IS NULL));
UPDATE role_grants SET source = 'configuration' WHERE granted_by = 'service:hephaisto/policy';
-- A service's grant came with a token and ends with it. A grant that was taken away by hand stays away. A person's token gives nothing.
INSERT INTO role_grants (subject, role, namespace, granted_by, granted_at, source, token_sha256)
  SELECT t.subject, t.role, n.namespace, coalesce(t.created_by, 'service:hephaisto/policy'), t.created_at, 'token', t.token_sha256
  FROM api_tokens t JOIN principals p ON p.subject = t.subject AND p.kind = 'service', unnest(t.namespaces) AS n (namespace)
  WHERE t.revoked_at IS NULL AND EXISTS (SELECT 1 FROM role_grants g WHERE g.subject = t.subject AND g.namespace IN ('', n.namespace)
    AND array_position(ARRAY['viewer', 'responder', 'approver', 'admin'], g.role)
        >= array_position(ARRAY['viewer', 'responder', 'approver', 'admin'], t.role));
DELETE FROM role_grants g WHERE g.source = 'admin' AND EXISTS (SELECT 1 FROM audit_log a WHERE a.verb = 'token.create'
  AND a.detail ->> 'principal' = g.subject AND a.detail ->> 'role' = g.role AND coalesce(a.detail ->> 'namespace', '') = g.namespace);
CREATE UNIQUE INDEX ux_role_grant ON role_grants (subject, role, namespace, source, coalesce(token_sha256, ''::bytea));

UPDATE principals p SET person = a.actor
  FROM (SELECT DISTINCT ON (detail ->> 'principal') detail ->> 'principal' AS subject, actor FROM audit_log
        WHERE verb = 'token.create' AND subject_kind = 'token' ORDER BY detail ->> 'principal', id) a
  WHERE p.subject = a.subject AND p.kind = 'service' AND a.actor <> p.subject;

CREATE OR REPLACE FUNCTION proposal_decided_has_votes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE yes integer; no integer; BEGIN
  IF NEW.state NOT IN ('Approved', 'Denied') OR NEW.state = OLD.state THEN RETURN NULL; END IF;
  SELECT count(DISTINCT person_of(a.actor)) FILTER (WHERE a.decision = 'approve'), count(*) FILTER (WHERE a.decision = 'deny') INTO yes, no
    FROM approvals a WHERE a.proposal_id = NEW.id;
  IF (NEW.state = 'Approved' AND (yes < NEW.quorum OR no > 0)) OR (NEW.state = 'Denied' AND no = 0) THEN
    RAISE EXCEPTION 'proposal % is % with the votes of % of % people for and % against', NEW.id, NEW.state, yes, NEW.quorum, no
      USING ERRCODE = 'check_violation', CONSTRAINT = 'proposal_decided_has_votes', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL; END $$;

-- The cluster's own components and service accounts are no people.
UPDATE principals SET kind = 'service' WHERE subject LIKE 'kubernetes:system:%';
