-- Health of a whole cluster as its watch counts it. One row a cluster, written by the replica that leads the watch and read by every evaluation,
-- so that no evaluation lists the cluster. `counted_at` says for which instant the counts hold; a reader decides how old is too old.
CREATE TABLE cluster_health (
  cluster text NOT NULL PRIMARY KEY REFERENCES clusters (id),
  pods integer NOT NULL,
  unready_pods integer NOT NULL,
  nodes integer NOT NULL,
  unready_nodes integer NOT NULL,
  -- Namespaces whose pods are counted; empty: all of them.
  namespaces text[] NOT NULL DEFAULT '{}'::text[],
  counted_at timestamptz NOT NULL,
  epoch bigint NOT NULL,
  CONSTRAINT cluster_health_counts CHECK (unready_pods BETWEEN 0 AND pods AND unready_nodes BETWEEN 0 AND nodes),
  CONSTRAINT cluster_health_epoch_check CHECK (epoch > 0)
);

-- A leader that was paused must not write over the counts of its successor.
CREATE FUNCTION cluster_health_epoch_grows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.epoch < OLD.epoch THEN
    RAISE EXCEPTION 'the health of cluster % was counted by a later leader', OLD.cluster
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'cluster_health_epoch_grows', TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW; END $$;
CREATE TRIGGER t_epoch BEFORE UPDATE ON cluster_health FOR EACH ROW EXECUTE FUNCTION cluster_health_epoch_grows();

-- Hash of the target, policy, switches and health that an open proposal was last compared with. While it is equal nothing has to be read again.
ALTER TABLE proposals ADD COLUMN revalidated_sha256 character(64);
