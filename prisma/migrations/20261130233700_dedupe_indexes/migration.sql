-- What settling a signal asks of the incidents, each by an index: without one, every signal reads all incidents.
CREATE INDEX ix_incident_opened ON incidents (cluster, created_at DESC) WHERE NOT is_meta;
CREATE INDEX ix_incident_node ON incidents (cluster, node_name) WHERE kind = 'NodePressure' AND state NOT IN ('Suppressed', 'Resolved', 'Expired');
CREATE INDEX ix_incident_over_fingerprint ON incidents (fingerprint) WHERE state IN ('Suppressed', 'Resolved', 'Expired');
CREATE INDEX ix_incident_over_correlation ON incidents (correlation_key) WHERE state IN ('Suppressed', 'Resolved', 'Expired');
CREATE INDEX ix_incident_open_namespace ON incidents (cluster, namespace) WHERE state NOT IN ('Suppressed', 'Resolved', 'Expired');
-- Without the list of pending entries, which every search would have to read through.
CREATE INDEX ix_incident_owners ON incidents USING gin (owner_chain) WITH (fastupdate = off) WHERE state NOT IN ('Suppressed', 'Resolved', 'Expired');
-- Those that blame another workload and wait for its incident; few of those that are open.
CREATE INDEX ix_incident_unlinked ON incidents (id) WHERE state = 'Escalated' AND escalation_reason = 'UpstreamCause' AND caused_by IS NULL;
