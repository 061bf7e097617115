import { assertNever } from '@hephaisto/core/assert-never';
import type { IncidentReport } from '@hephaisto/core/report/incident';
import type { Pace } from '../pace.ts';
import type { Expected, IncidentKey } from '../stories/expected.ts';
import type { HumanAct, Person } from '../stories/story.ts';
import { playStep, type WorldContext } from '../stories/world-player.ts';
import { incidentsOf } from './incidents.ts';
import { findIncident } from './judge.ts';
import type { ApiAnswer, PersonClient } from './person.ts';
import type { SeenIncident } from './seen.ts';

/** What the people of a story have in hand. */
export interface Cast {
  /** Reads everything; does nothing. */
  readonly onlooker: PersonClient;
  /** Who plays a part; undefined when a human at the console does. */
  readonly people: Readonly<Record<Person, PersonClient | undefined>>;
  readonly expected: Expected;
  readonly world: WorldContext;
  /** The proposal that is on somebody's screen, by incident: what is approved is what was seen, however the world moved since. */
  readonly onScreen: Map<IncidentKey, { readonly id: string; readonly digest: string; readonly title: string }>;
  say(line: string): void;
}

/** A person could not do what the story has them do, or was answered otherwise. */
export class ActWentOtherwise extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ActWentOtherwise';
  }
}

/** Real time beyond a story's own that slow machines may take. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 150;

/** Does one thing that a person of the story does, through the API. */
export async function playAct(cast: Cast, act: HumanAct): Promise<void> {
  switch (act.act) {
    case 'await-incident':
      await awaitIncident(cast, act);
      return;
    case 'approve':
      return approve(cast, act);
    case 'revise':
    case 'reinvestigate':
      return ask(cast, act);
    case 'in-the-world':
      return playStep(cast.world, act.step);
    case 'watch':
      return cast.world.pace.sleep(act.seconds * 1000, cast.world.signal);
    default:
      return assertNever(act);
  }
}

async function awaitIncident(cast: Cast, act: Extract<HumanAct, { act: 'await-incident' }>): Promise<void> {
  const matches = (incident: SeenIncident) =>
    incident.state === act.state && (act.reason === undefined || incident.reason === act.reason);
  const what = `${act.state}${act.reason === undefined ? '' : ` (${act.reason})`}`;
  const incident = await waitFor(cast, act.incident, matches, act.withinSeconds, what);
  if (act.state === 'AwaitingApproval') await look(cast, act.incident, incident.id);
}

/** Opens the proposal as it is now. */
async function look(cast: Cast, key: IncidentKey, incidentId: string): Promise<void> {
  const { currentProposal } = await cast.onlooker.get<IncidentReport>(`/api/v1/incidents/${incidentId}`);
  if (currentProposal !== null) cast.onScreen.set(key, currentProposal);
}

/** Polls until the incident of that key matches; the time given is story time. */
export async function waitFor(
  cast: Cast,
  key: IncidentKey,
  matches: (incident: SeenIncident) => boolean,
  withinSeconds: number,
  what: string,
): Promise<SeenIncident> {
  const { pace, signal, namespace } = cast.world;
  const until = pace.now().getTime() + (withinSeconds * 1000) / pace.speed + PATIENCE_MS;
  for (;;) {
    const found = await present(cast, key, namespace);
    if (found !== undefined && matches(found)) return found;
    if (pace.now().getTime() > until)
      throw new ActWentOtherwise(
        `expected incident \`${key}\` to be ${what}, found ${found === undefined ? 'no incident' : `${found.state} ${found.reason ?? ''}`.trim()}`,
      );
    await realPause(pace, signal);
  }
}

function realPause(pace: Pace, signal: AbortSignal): Promise<void> {
  return pace.sleep(LOOK_MS * pace.speed, signal);
}

async function present(cast: Cast, key: IncidentKey, namespace: string): Promise<SeenIncident | undefined> {
  const expected = cast.expected.incidents.find((incident) => incident.key === key);
  if (expected === undefined) throw new ActWentOtherwise(`expected a story that knows incident \`${key}\`, found none`);
  return findIncident(expected, await incidentsOf(cast.onlooker, namespace));
}

async function approve(cast: Cast, act: Extract<HumanAct, { act: 'approve' }>): Promise<void> {
  const incident = await waitFor(cast, act.incident, () => true, 60, 'there');
  if (!cast.onScreen.has(act.incident)) await look(cast, act.incident, incident.id);
  const proposal = cast.onScreen.get(act.incident);
  if (proposal === undefined)
    throw new ActWentOtherwise(`expected a proposal to approve, found none on incident ${incident.number}`);
  const person = cast.people[act.by];
  if (person === undefined) {
    if (act.answer === 'executes' || act.answer === 'stays-open') {
      cast.say(`incident ${incident.number} waits for your approval: ${proposal.title}`);
      await awaitVote(cast, incident.id);
    }
    return;
  }
  const answer = await person.post(`/api/v1/proposals/${proposal.id}/approve`, {
    digest: proposal.digest,
    reason: act.reason,
  });
  const got = describeAnswer(answer);
  cast.say(`${person.subject} approves incident ${incident.number} (${proposal.title}): ${got}`);
  if (got === 'target-changed') cast.onScreen.delete(act.incident);
  if (got !== act.answer)
    throw new ActWentOtherwise(
      `expected the answer \`${act.answer}\`, found \`${got}\` (${JSON.stringify(answer.body)})`,
    );
}

/** Waits, for as long as it takes, until a human has voted or the proposal is settled otherwise. */
async function awaitVote(cast: Cast, incidentId: string): Promise<void> {
  const { pace, signal } = cast.world;
  const votesNow = async () => {
    const report = await cast.onlooker.get<IncidentReport>(`/api/v1/incidents/${incidentId}`);
    return report.state === 'AwaitingApproval' ? (report.currentProposal?.votes.length ?? 0) : undefined;
  };
  const before = await votesNow();
  for (let now = before; now !== undefined && now <= (before ?? 0); now = await votesNow())
    await realPause(pace, signal);
}

function describeAnswer(answer: ApiAnswer): string {
  if (answer.status !== 200) return String(answer.body.code ?? answer.status);
  const state = (answer.body.proposal as { state?: string } | undefined)?.state;
  return state === 'Approved' ? 'executes' : 'stays-open';
}

async function ask(cast: Cast, act: Extract<HumanAct, { act: 'revise' | 'reinvestigate' }>): Promise<void> {
  const incident = await waitFor(cast, act.incident, () => true, 60, 'there');
  const person = cast.people[act.by] ?? cast.people.responder;
  if (person === undefined) return;
  const report = await person.get<IncidentReport>(`/api/v1/incidents/${incident.id}`);
  const path =
    act.act === 'revise'
      ? `/api/v1/proposals/${report.currentProposal?.id ?? 'none'}/revise`
      : `/api/v1/incidents/${incident.id}/reinvestigate`;
  const answer = await person.post(path, { reason: act.reason });
  cast.say(
    `${person.subject} asks to ${act.act} incident ${incident.number}: ${answer.status < 300 ? 'done' : String(answer.body.code)}`,
  );
  if (answer.status >= 300)
    throw new ActWentOtherwise(`expected to ${act.act}, found ${answer.status} ${JSON.stringify(answer.body)}`);
}
