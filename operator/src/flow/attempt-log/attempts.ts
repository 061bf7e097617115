import type { StageDeps } from '../stage.ts';

/** Work that may end its process: it reads outside text of any form and size. */
export type AttemptKind = 'body' | 'investigation' | 'plan';

/**
 * `suspect`: an owner died while it had this and maybe other work in hand, so this is tried alone. `unreadable`: too many owners died. `busy`:
 * another live process has it.
 */
export type Standing = 'free' | 'suspect' | 'unreadable' | 'busy';

/**
 * Owners that may die of one piece of work. The first may have died of something else; a third would die for nothing. A body shares its first owner
 * with others, so that death is not its own: two owners that had it alone must have died. Otherwise a process that is killed twice within
 * seconds, as in a rollout or for want of memory, would put aside alerts that anybody can read.
 */
const MAX_DEATHS: Readonly<Record<AttemptKind, number>> = { body: 3, investigation: 2, plan: 2 };

/** Begun longer ago by a process that cannot be asked, work has lost its owner. Planning waits for a model; a body takes seconds. */
const STALE_AFTER_SECONDS: Readonly<Record<AttemptKind, number>> = { body: 60, investigation: 0, plan: 600 };

interface Row {
  readonly key: string;
  readonly deaths: number;
  readonly holder: Readonly<Record<string, string>> | null;
  readonly stale: boolean;
}

/** Counts the owners that died of a piece of work. Every call is on `deps.db` by itself, since a count within a transaction dies with it. */
export interface Attempts {
  /** How each key stands before it is begun; a key without a row is free. */
  standing(keys: readonly string[]): Promise<ReadonlyMap<string, Standing>>;
  /** Writes down that the work begins, with the deaths that `standing` found. */
  begin(keys: readonly string[]): Promise<void>;
  /** The work is done or refused: its owner lives, and nothing is left to count. */
  end(keys: readonly string[]): Promise<void>;
  /** The owner lives but leaves the work to somebody else: earlier deaths still count. */
  release(keys: readonly string[]): Promise<void>;
}

export function createAttempts(deps: Pick<StageDeps, 'db' | 'holder' | 'isAlive'>, kind: AttemptKind): Attempts {
  const deaths = new Map<string, number>();

  /** A process of the same pod is asked for; of another pod only time tells. */
  function hasDied({ holder, stale }: Row): boolean {
    if (holder === null || holder.bootId === deps.holder.bootId) return false;
    if (holder.pod !== deps.holder.pod || holder.pid === undefined) return stale;
    return holder.pid === deps.holder.pid || !deps.isAlive(holder.pid) || (kind === 'investigation' && stale);
  }

  function standingOf(row: Row): Standing {
    const died = hasDied(row);
    const count = row.deaths + (died ? 1 : 0);
    deaths.set(row.key, count);
    if (!died && row.holder !== null && row.holder.bootId !== deps.holder.bootId) return 'busy';
    return count >= MAX_DEATHS[kind] ? 'unreadable' : count > 0 ? 'suspect' : 'free';
  }

  return {
    async standing(keys) {
      if (keys.length === 0) return new Map();
      const rows = await deps.db.query<Row>(
        `SELECT key, deaths, holder, begun_at <= app_now() - make_interval(secs => $3) AS stale FROM work_attempts
         WHERE kind = $1 AND key = ANY($2::text[])`,
        [kind, keys, STALE_AFTER_SECONDS[kind]],
      );
      return new Map(rows.map((row) => [row.key, standingOf(row)]));
    },
    async begin(keys) {
      if (keys.length === 0) return;
      await deps.db.execute(
        `INSERT INTO work_attempts (kind, key, deaths, holder, begun_at)
         SELECT $1, r.key, r.deaths, $3::jsonb, app_now() FROM jsonb_to_recordset($2::jsonb) AS r (key text, deaths integer)
         ON CONFLICT (kind, key) DO UPDATE SET deaths = excluded.deaths, holder = excluded.holder, begun_at = excluded.begun_at`,
        [kind, JSON.stringify(keys.map((key) => ({ key, deaths: deaths.get(key) ?? 0 }))), JSON.stringify(deps.holder)],
      );
    },
    async end(keys) {
      for (const key of keys) deaths.delete(key);
      if (keys.length === 0) return;
      await deps.db.execute('DELETE FROM work_attempts WHERE kind = $1 AND key = ANY($2::text[])', [kind, keys]);
    },
    async release(keys) {
      for (const key of keys) deaths.delete(key);
      if (keys.length === 0) return;
      await deps.db.execute(
        `UPDATE work_attempts SET holder = NULL WHERE kind = $1 AND key = ANY($2::text[]) AND holder->>'bootId' = $3`,
        [kind, keys, deps.holder.bootId],
      );
    },
  };
}

/** What is written where the work would have left its result. */
export const UNREADABLE = 'unreadable';

export function unreadableMessage(kind: AttemptKind, what: string): string {
  return `${what} ended the process that worked on it ${MAX_DEATHS[kind]} times; it is not tried again`;
}
