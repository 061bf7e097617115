import type { ExpectedIncident, FinalState } from '../stories/expected.ts';
import type { Stage } from '../stories/simulated-world.ts';
import { playStory } from '../stories/simulated-world.ts';
import type { Person, Story } from '../stories/story.ts';
import { ActWentOtherwise, type Cast, playAct, waitFor } from './human-act.ts';
import { benignOf, incidentsOf } from './incidents.ts';
import { type Judgement, judge, type Seen } from './judge.ts';
import type { PersonClient } from './person.ts';
import type { SeenIncident, SeenWrite } from './seen.ts';

/** What running stories needs besides the world: the API's people, the cluster's record, and where to say things. */
export interface Theatre {
  readonly stage: Stage;
  readonly onlooker: PersonClient;
  readonly people: Readonly<Record<Person, PersonClient | undefined>>;
  /** Lets the operator act in a namespace; called once it exists. */
  allowActing(namespace: string): Promise<void>;
  /** Writes by the operator's own identity in the namespace, from the cluster's own record. */
  writesIn(namespace: string): Promise<readonly SeenWrite[]> | readonly SeenWrite[];
  say(line: string): void;
}

export interface StoryResult extends Judgement {
  readonly story: Story;
  readonly namespace: string;
  readonly seen: Seen;
  readonly ms: number;
}

/** Story time that the ends of a story may take after its last act: quiet periods and the last checks included. */
const END_SECONDS = 1800;
/** How long nothing further may come, so that a surplus incident or a second write is not missed. */
const AFTERMATH_SECONDS = 20;

/**
 * Plays one story in the namespace, which must be new, and judges what came of it. A story that cannot be told, or is abandoned, is
 * `not-as-told`.
 */
export async function runStory(
  theatre: Theatre,
  story: Story,
  namespace: string,
  abandon: AbortSignal,
): Promise<StoryResult> {
  const { stage } = theatre;
  const started = stage.pace.now().getTime();
  const said: string[] = [];
  const run = await playStory({ ...stage, onNamespace: () => theatre.allowActing(namespace) }, story, namespace);
  const leave = () => void run.stop();
  abandon.addEventListener('abort', leave, { once: true });
  try {
    await run.played;
    const cast: Cast = {
      onlooker: theatre.onlooker,
      people: theatre.people,
      expected: story.expected,
      world: run.context,
      onScreen: new Map(),
      say: theatre.say,
    };
    for (const act of story.director) await playAct(cast, act);
    for (const incident of story.expected.incidents) await awaitEnd(cast, incident);
    await stage.pace.sleep(AFTERMATH_SECONDS * 1000);
  } catch (error: unknown) {
    said.push(error instanceof Error ? error.message : String(error));
  } finally {
    abandon.removeEventListener('abort', leave);
    await run.stop();
  }
  const seen = await look(theatre, namespace);
  const judgement = judge(story.expected, seen);
  return {
    story,
    namespace,
    seen,
    verdict: said.length === 0 ? judgement.verdict : 'not-as-told',
    differences: [...said, ...judgement.differences],
    ms: Math.round(stage.pace.now().getTime() - started),
  };
}

async function awaitEnd(cast: Cast, expected: ExpectedIncident): Promise<void> {
  const { final, key } = expected;
  await waitFor(cast, key, (incident) => isFinal(final, incident), END_SECONDS, describe(final)).catch(
    (error: unknown) => {
      // The judge says it better, and says everything else too.
      if (!(error instanceof ActWentOtherwise)) throw error;
    },
  );
}

function isFinal(final: FinalState, incident: SeenIncident): boolean {
  if (incident.state !== final.state) return false;
  return final.state === 'Resolved' || incident.reason === final.reason;
}

function describe(final: FinalState): string {
  return final.state === 'Resolved' ? 'Resolved' : `Escalated (${final.reason})`;
}

async function look(theatre: Theatre, namespace: string): Promise<Seen> {
  const [incidents, benign, writes] = await Promise.all([
    incidentsOf(theatre.onlooker, namespace),
    benignOf(theatre.onlooker, namespace),
    theatre.writesIn(namespace),
  ]);
  return { incidents, benign, writes };
}
