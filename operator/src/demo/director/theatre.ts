import { ADMIN } from '../cluster/simulated-cluster.ts';
import { allowActing, OPERATOR } from '../identity/operator-identity.ts';
import { NAMESPACES } from '../kube-client/resource.ts';
import type { Pace } from '../pace.ts';
import type { SimulatedWorld } from '../stories/simulated-world.ts';
import type { Person, StoryId } from '../stories/story.ts';
import { STORIES } from '../stories/story-book.ts';
import type { Output } from './output.ts';
import type { PersonClient } from './person.ts';
import { runStory, type StoryResult, type Theatre } from './run-story.ts';
import type { SeenWrite } from './seen.ts';

/** Where the demo's stories are played, one after another. */
export interface DemoTheatre {
  /** Plays the stories in order; true when each went as told. */
  playAll(ids: readonly StoryId[]): Promise<boolean>;
  /** Begins a story beside whatever is playing. */
  play(id: StoryId): void;
  /** Abandons what is playing and takes every story's namespace away. */
  reset(): void;
  /** What is playing and how the last run of each ended. */
  states(): ReadonlyMap<StoryId, { readonly state: 'playing' | 'ended'; readonly verdict?: string }>;
  close(): Promise<void>;
}

export interface TheatreOptions {
  readonly world: SimulatedWorld;
  readonly pace: Pace;
  readonly people: Readonly<Record<string, PersonClient>> & { readonly vic: PersonClient };
  /** Who approves by himself; undefined leaves it to whoever watches. */
  readonly approveAs: string | undefined;
  readonly output: Output;
}

export function openTheatre(options: TheatreOptions): DemoTheatre {
  const { world, pace, people, output } = options;
  const admin = world.cluster.kubeconfigFor(ADMIN);
  const states = new Map<StoryId, { state: 'playing' | 'ended'; verdict?: string }>();
  const theatre: Theatre = {
    stage: { ...world, pace, onStep: (step) => output.say(`  · ${step.note}`) },
    onlooker: people.vic,
    people: castOf(options),
    allowActing: (namespace) => allowActing(admin, namespace),
    writesIn: (namespace) => writesIn(world, namespace),
    say: (line) => output.say(`  · ${line}`),
  };

  const namespaces = new Set<string>();
  let abandon = new AbortController();

  async function play(id: StoryId): Promise<StoryResult> {
    const story = STORIES[id];
    const namespace = `${id}-${suffix(pace.now())}`;
    namespaces.add(namespace);
    output.say(`\n${story.title} (${id}, in namespace ${namespace})\n${story.summary}`);
    states.set(id, { state: 'playing' });
    const { signal } = abandon;
    const result = await runStory(theatre, story, namespace, signal);
    if (signal.aborted) states.delete(id);
    else {
      states.set(id, { state: 'ended', verdict: result.verdict });
      output.story(result);
    }
    return result;
  }

  async function clear(namespace: string): Promise<void> {
    namespaces.delete(namespace);
    await world.client.remove(NAMESPACES, undefined, namespace).catch(() => {});
  }

  return {
    async playAll(ids) {
      let told = true;
      for (const [index, id] of ids.entries()) {
        const { verdict, namespace } = await play(id);
        told &&= verdict === 'as-told';
        // The last one stays to be looked at; the others would only make the cluster larger.
        if (index < ids.length - 1) await clear(namespace);
      }
      return told;
    },
    play(id) {
      const { signal } = abandon;
      play(id).catch((error: unknown) => {
        // A story that is taken away fails at whatever it was waiting for, which says nothing.
        if (!signal.aborted) output.say(`story ${id}: ${String(error)}`);
      });
    },
    reset() {
      abandon.abort();
      abandon = new AbortController();
      states.clear();
      output.say('\nreset: every story is taken away');
      for (const namespace of namespaces) void clear(namespace);
    },
    states: () => states,
    close() {
      abandon.abort();
      return Promise.resolve();
    },
  };
}

/** Without an approver of the director's the parts of both are a human's; everybody else always plays. */
function castOf({ people, approveAs }: TheatreOptions): Readonly<Record<Person, PersonClient | undefined>> {
  const other = approveAs === 'ben' ? 'ana' : 'ben';
  return {
    approver: approveAs === undefined ? undefined : people[approveAs],
    'other-approver': approveAs === undefined ? undefined : people[other],
    responder: people.rui,
    admin: people.ada,
  };
}

const USER = `system:serviceaccount:${OPERATOR.namespace}:${OPERATOR.serviceAccount}`;

function writesIn(world: SimulatedWorld, namespace: string): readonly SeenWrite[] {
  return world.cluster.requests
    .writes()
    .filter((record) => record.user === USER && (record.namespace === namespace || record.namespace === ''))
    .map(({ verb, resource, subresource, name, dryRun, status }) => ({
      verb,
      resource,
      ...(subresource === '' ? {} : { subresource }),
      namespace,
      name,
      dryRun,
      status,
    }));
}

/** Short, and new with every tenth of a second. */
function suffix(now: Date): string {
  return Math.floor(now.getTime() / 100)
    .toString(36)
    .slice(-6);
}
