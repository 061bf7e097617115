import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@hephaisto/test/verifies';
import type { Alertmanager } from '../../../operator/src/demo/alertmanager/alertmanager.ts';
import { NAMESPACES } from '../../../operator/src/demo/kube-client/resource.ts';
import { createPace } from '../../../operator/src/demo/pace.ts';
import type { Story, StoryId } from '../../../operator/src/demo/stories/story.ts';
import { STORIES } from '../../../operator/src/demo/stories/story-book.ts';
import type { World } from '../../world/world.ts';
import type { Context, DatabaseChoice } from '../context.ts';
import { alertmanagerConfig, prometheusTo } from '../harness/alerting.ts';
import { auditOfOperator, forbiddenOf, spell } from '../harness/audit.ts';
import { type Actor, startActor } from '../harness/casting.ts';
import { type RealCluster, WORLD_SPEED } from '../harness/cluster.ts';
import { freshDatabase } from '../harness/databases.ts';
import { type MetricsExporter, startMetricsExporter } from '../harness/metrics-exporter.ts';
import { configurePrometheus, hasRulesFor } from '../harness/prometheus.ts';
import { patient, playOnReal } from '../harness/story-run.ts';
import { checkStuckStatefulSets, STUCK_STATEFUL_SET } from './stuck-stateful-set.ts';

/** Stories whose alerts come from real rules of a real Prometheus over scraped metrics; the others' are posted as it would post them. */
const BY_PROMETHEUS: readonly StoryId[] = ['bad-rollout', 'image-missing-rollout'];
/** Ten minutes of story in more than three real ones. */
const NOISE_SPEED = 3;
const NOISE: StoryId = 'healthy-noise';
/** Beside each other; more make the control plane slower than the stories' own patience. */
const BESIDE = 4;
const LANE_GAP_MS = 4_000;

interface Part {
  readonly story: Story;
  /** One for each try: the second must meet nothing that the first left, neither objects nor incidents. */
  readonly namespaces: readonly [string, string];
  readonly db: DatabaseChoice;
  readonly speed: number;
}

/**
 * Every story on the real control plane with the real Alertmanager, half of them on each database unless one was chosen. Healthy noise has an
 * operator of its own and runs at nearly real time beside the others.
 */
export async function runStories(context: Context): Promise<void> {
  verifies('H3-3', 'H3-5', 'H3-6', 'H3-7', 'H3-22', 'H3-23', 'H3-67', 'H3-72');
  if (context.story !== STUCK_STATEFUL_SET) await runStoryBook(context);
  if (context.story === undefined || context.story === STUCK_STATEFUL_SET) await checkStuckStatefulSets(context);
}

async function runStoryBook(context: Context): Promise<void> {
  const world = await context.world();
  const cluster = await context.cluster();
  const parts = divide(context);
  const troupes = await openTroupes(context, world, cluster, parts);
  const prometheus = await openPrometheus(world, cluster, parts);
  try {
    const part = world.alertmanager;
    if (part === undefined) throw new Error('expected a world with Alertmanager');
    const posted = prometheusTo(part, (error) => context.say(String(error)));
    const play = (each: Part) => playPart(context, cluster, each, troupes.of(each), alertsOf(each, posted));
    const noise = parts.filter(({ story }) => story.id === NOISE);
    const others = parts.filter(({ story }) => story.id !== NOISE);
    await Promise.all([...noise.map(play), inLanes(others, BESIDE, play)]);
    await context.check('no Secret was read and nothing was run in a pod, by the audit log', async () => {
      const forbidden = forbiddenOf(await auditOfOperator(cluster.auditLog));
      if (forbidden.length > 0) throw new Error(`expected none, found ${forbidden.map(spell).join('; ')}`);
    });
  } finally {
    await prometheus?.close();
    await troupes.close();
    await world.alertmanager?.configure(alertmanagerConfig([], 1));
  }
}

function divide(context: Context): readonly Part[] {
  const suffix = Math.floor(Date.now() / 1000)
    .toString(36)
    .slice(-5);
  return Object.values(STORIES)
    .filter(({ id }) => context.story === undefined || context.story === id)
    .map((story, index) => ({
      story,
      namespaces: [`${story.id}-${suffix}`, `${story.id}-${suffix}-2`],
      db: context.db ?? (index % 2 === 0 ? 'pg' : 'pglite'),
      speed: story.id === NOISE ? NOISE_SPEED : WORLD_SPEED,
    }));
}

/** One operator for each database and speed, each of which leaves the others' namespaces alone. */
async function openTroupes(context: Context, world: World, cluster: RealCluster, parts: readonly Part[]) {
  const nameOf = ({ db, speed }: Part) => `${db}-${speed}`;
  const names = [...new Set(parts.map(nameOf))];
  const actors = new Map<string, Actor>();
  const close = async () => void (await Promise.all([...actors.values()].map(({ operator }) => operator.stop())));
  try {
    for (const name of names) {
      const own = parts.filter((part) => nameOf(part) === name);
      const [first] = own;
      if (first === undefined) continue;
      context.say(`starting the operator ${name} for ${own.map(({ story }) => story.id).join(', ')}`);
      actors.set(
        name,
        await startActor(world, cluster, {
          name,
          speed: first.speed,
          database: await freshDatabase(world, first.db),
          ignoreNamespaces: parts.filter((part) => nameOf(part) !== name).flatMap(({ namespaces }) => namespaces),
        }),
      );
    }
    const routes = [...actors].map(([name, { operator, token }]) => {
      const own = parts.filter((part) => nameOf(part) === name);
      const noise = own.some(({ story }) => story.id === NOISE);
      return {
        name,
        url: operator.url,
        token,
        ...(noise ? {} : { namespaces: own.flatMap(({ namespaces }) => namespaces) }),
      };
    });
    await world.alertmanager?.configure(alertmanagerConfig(routes, WORLD_SPEED));
  } catch (error: unknown) {
    await close();
    throw error;
  }
  return {
    of(part: Part): Actor {
      const actor = actors.get(nameOf(part));
      if (actor === undefined) throw new Error(`expected an operator for ${part.story.id}`);
      return actor;
    },
    close,
  };
}

async function openPrometheus(
  world: World,
  cluster: RealCluster,
  parts: readonly Part[],
): Promise<MetricsExporter | undefined> {
  const scraped = parts.filter(({ story }) => BY_PROMETHEUS.includes(story.id));
  if (scraped.length === 0) return undefined;
  for (const { story } of scraped)
    if (!hasRulesFor(story.alerts)) throw new Error(`expected only rules that Prometheus is given, in ${story.id}`);
  const exporter = await startMetricsExporter(cluster.client, () => scraped.flatMap(({ namespaces }) => namespaces));
  await configurePrometheus(
    world,
    exporter.target,
    scraped.flatMap(({ namespaces, story }) =>
      namespaces.map((namespace) => ({ namespace, sources: story.alerts.map(patient) })),
    ),
    WORLD_SPEED,
  );
  return exporter;
}

/** What Prometheus evaluates by itself is not posted in its place. */
function alertsOf(part: Part, posted: Alertmanager): Alertmanager {
  return BY_PROMETHEUS.includes(part.story.id) ? { ...posted, put: () => undefined } : posted;
}

async function playPart(
  context: Context,
  cluster: RealCluster,
  part: Part,
  actor: Actor,
  alertmanager: Alertmanager,
): Promise<void> {
  const { story, namespaces, db, speed } = part;
  const by = BY_PROMETHEUS.includes(story.id) ? ', alerts by Prometheus' : '';
  const untried = [...namespaces];
  await context.check(`${story.id} on ${db}${by}`, async () => {
    context.signal.throwIfAborted();
    const namespace = untried.shift();
    if (namespace === undefined) throw new Error(`expected at most two tries of ${story.id}`);
    context.say(`playing ${story.id} in ${namespace}`);
    try {
      const { differences } = await playOnReal({
        cluster,
        actor,
        alertmanager,
        pace: createPace(speed),
        story,
        namespace,
        alerts: BY_PROMETHEUS.includes(story.id) ? 'scraped' : 'posted',
        signal: context.signal,
        say: (line) => context.say(`${story.id}: ${line}`),
      });
      if (differences.length > 0) throw new Error(differences.join('\n'));
    } finally {
      await cluster.client.remove(NAMESPACES, undefined, namespace).catch(() => undefined);
    }
  });
}

async function inLanes<T>(all: readonly T[], lanes: number, work: (each: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const lane = async (number: number) => {
    // All lanes begin by installing a whole shop; at once they would only wait for each other.
    await sleep(number * LANE_GAP_MS);
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
}
