-- The maker of a sign-in link has held its secret, so a session that it opens may be the maker's. Sessions and votes name that account;
-- NULL means that the installation made the link for the person.
ALTER TABLE sign_in_links ADD COLUMN created_by text REFERENCES principals;
ALTER TABLE web_sessions ADD COLUMN link_made_by text REFERENCES principals;
ALTER TABLE approvals ADD COLUMN credential_made_by text REFERENCES principals;

-- Which link opened a session was not recorded. The newest link that an admin made for the person before is the careful guess.
UPDATE sign_in_links l SET created_by = (SELECT a.actor FROM audit_log a JOIN principals p ON p.subject = a.actor
  WHERE a.verb = 'sign-in-link.create' AND a.subject_kind = 'principal' AND a.subject_id = l.subject ORDER BY a.id DESC LIMIT 1);
UPDATE web_sessions w SET link_made_by = (SELECT a.actor FROM audit_log a JOIN principals p ON p.subject = a.actor
  WHERE a.verb = 'sign-in-link.create' AND a.subject_kind = 'principal' AND a.subject_id = w.subject AND a.at <= w.created_at
  ORDER BY a.id DESC LIMIT 1);
