import { normaliseWhitespace } from '@hephaisto/core/finding/ground';
import type { Database } from '@hephaisto/core/ports/database';

/** Puts a recorded read-only question again; undefined when there is no answer to it now. */
export type ReadAgain = (tool: string, args: unknown) => Promise<string | undefined>;

/** Latest looks whose verdict is compared, and questions put for one of them. */
const MOST_LOOKS = 3;
const MOST_QUESTIONS = 8;

interface Cited {
  readonly finding_id: string;
  readonly statement: string;
  readonly step_id: string;
  readonly tool_name: string;
  readonly args: unknown;
  readonly excerpts: readonly string[];
}

export interface StandingFinding {
  readonly id: string;
  readonly statement: string;
}

/**
 * A primary finding of the incident of which everything quoted still stands word for word in what was cited: looking again would come to
 * the same. What cannot be read any more counts as changed, since refusing a look is the worse mistake.
 */
export async function standingFinding(
  db: Database,
  readAgain: ReadAgain,
  incidentId: string,
): Promise<StandingFinding | undefined> {
  const cited = await db.query<Cited>(
    `SELECT f.id AS finding_id, f.statement, s.id AS step_id, s.tool_name, s.args, array_agg(e.excerpt) AS excerpts
       FROM (SELECT id, attempt FROM investigations WHERE incident_id = $1 ORDER BY attempt DESC LIMIT ${MOST_LOOKS}) n
       JOIN findings f ON f.investigation_id = n.id AND f.is_primary AND f.status = 'grounded'
       JOIN finding_evidence e ON e.finding_id = f.id AND e.accepted
       JOIN steps s ON s.id = e.step_id
      GROUP BY n.attempt, f.id, f.statement, s.id, s.tool_name, s.args ORDER BY n.attempt DESC`,
    [incidentId],
  );
  for (const id of new Set(cited.map((each) => each.finding_id))) {
    const quoted = cited.filter((each) => each.finding_id === id);
    const [first] = quoted;
    if (first !== undefined && (await allStand(readAgain, quoted))) return { id, statement: first.statement };
  }
  return undefined;
}

async function allStand(readAgain: ReadAgain, quoted: readonly Cited[]): Promise<boolean> {
  if (quoted.length > MOST_QUESTIONS) return false;
  const stand = await Promise.all(
    quoted.map(async ({ tool_name, args, excerpts }) => {
      const text = await readAgain(tool_name, args);
      if (text === undefined) return false;
      const now = normaliseWhitespace(text);
      return excerpts.every((excerpt) => now.includes(normaliseWhitespace(excerpt)));
    }),
  );
  return stand.every(Boolean);
}
