import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { StorageRefused } from '@hephaisto/core/ports/database';
import { systemClock } from '../adapters/clock/clock.ts';
import { createIds } from '../adapters/ids/ids.ts';
import { consoleExtension } from '../api/console-files.ts';
import { bootFailure } from '../cli/boot-failure.ts';
import { CommandFailed, EXIT, type ExitCode } from '../cli/exit.ts';
import { loadConfig } from '../cli/load-config.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { type Operator, startOperator } from '../main.ts';
import { ADMIN } from './cluster/simulated-cluster.ts';
import { clusterIdOf } from './cluster-id.ts';
import { consoleFolder } from './console-folder.ts';
import { APPROVERS, compressed, demoConfig, demoPolicy, PEOPLE } from './demo-config.ts';
import { noteAsked } from './director/asked.ts';
import { followEdges } from './director/edges.ts';
import { type DemoOptions, parseDemoOptions } from './director/options.ts';
import { createOutput, type Output } from './director/output.ts';
import { type PersonClient, signIn } from './director/person.ts';
import { keepReadyFile, readyPaths } from './director/ready-file.ts';
import { type DemoTheatre, openTheatre } from './director/theatre.ts';
import { createOperatorIdentity, OPERATOR } from './identity/operator-identity.ts';
import { createPace } from './pace.ts';
import { stageRoutes } from './stage-routes.ts';
import { type SimulatedWorld, startSimulatedWorld } from './stories/simulated-world.ts';
import type { StoryId } from './stories/story.ts';
import { STORIES } from './stories/story-book.ts';

const TOKEN_LIFE_SECONDS = 30 * 86_400;

/** Starts everything, plays what was asked for, and stays until it is stopped or, with `--exit`, until the last story has ended. */
async function demo(options: DemoOptions, stop: AbortSignal): Promise<ExitCode> {
  const output = createOutput(
    { stdout: (text) => void process.stdout.write(text), stderr: (text) => void process.stderr.write(text) },
    { json: options.json, pid: process.pid },
  );
  const closing: (() => Promise<void>)[] = [];
  try {
    let opened: DemoTheatre | undefined;
    const { operator, world } = await start(options, output, closing, () => opened);
    const asked = noteAsked(world.cluster.requests);
    const people = await signEveryoneIn(operator);
    const ready = await keepReadyFile({
      paths: readyPaths(resolve(options.data), operator.url),
      url: operator.url,
      pid: process.pid,
      db: operator.db,
      links: () => links(operator),
    });
    closing.push(() => ready.close());
    output.ready(operator.url, await links(operator));
    for (const sentence of compressed(options.speed)) output.say(`  ${sentence}`);
    const pace = createPace(options.speed);
    const following = new AbortController();
    const edges = followEdges(people.vic, pace, following.signal, output.edge);
    closing.push(async () => {
      following.abort();
      await edges;
    });
    const theatre = openTheatre({ world, pace, people, approveAs: options.approveAs, output });
    opened = theatre;
    closing.push(() => theatre.close());
    const ids: readonly StoryId[] =
      options.story === 'all' ? (Object.keys(STORIES) as StoryId[]) : [options.story as StoryId];
    const playing = theatre.playAll(ids);
    const told = await Promise.race([playing, stopped(stop)]);
    output.asked(asked());
    if (!options.exit && !stop.aborted) {
      output.say('\nPress Ctrl-C to stop.');
      await stopped(stop);
    }
    return told === false && options.exit ? EXIT.failed : EXIT.done;
  } finally {
    if (stop.aborted) output.say('stopping …');
    for (const close of closing.toReversed()) await close();
  }
}

async function start(
  options: DemoOptions,
  output: Output,
  closing: (() => Promise<void>)[],
  theatre: () => DemoTheatre | undefined,
): Promise<{ operator: Operator; world: SimulatedWorld }> {
  const folder = resolve(options.data);
  // Read before anything starts: a mistake in it is told at once. Nothing is taken from the environment.
  const { model } = options.model === undefined ? {} : await loadConfig(options.model, {});
  output.say('starting a simulated cluster and the operator …');
  const page = await consoleFolder((line) => output.say(`${line} …`));
  const world = await startSimulatedWorld({
    pace: createPace(options.speed),
    ids: createIds(systemClock),
    random: Math.random,
    clusterId: clusterIdOf(folder),
    onTrouble: () => {},
  });
  closing.push(() => world.close());
  const admin = world.cluster.kubeconfigFor(ADMIN, TOKEN_LIFE_SECONDS);
  await createOperatorIdentity(admin);
  const { namespace, serviceAccount: name } = OPERATOR;
  const webhookToken = randomBytes(24).toString('base64url');
  const byDefault = demoConfig({
    port: options.port,
    folder: join(folder, 'data'),
    speed: options.speed,
    alertmanagerUrl: world.alertmanager.url,
    webhookToken,
  });
  const config = model === undefined ? byDefault : { ...byDefault, model };
  try {
    const operator = await startOperator(config, {
      kubeconfigYaml: world.cluster.kubeconfigFor({ serviceAccount: { namespace, name } }, TOKEN_LIFE_SECONDS),
      policyText: demoPolicy(options.speed),
      extensions: [consoleExtension(page), stageRoutes(options.speed, theatre)],
      onProgress: (message) => output.say(`${message} …`),
    });
    closing.push(() => operator.close());
    world.alertmanager.setReceiver({ url: `${operator.url}/webhooks/alertmanager`, token: webhookToken });
    return { operator, world };
  } catch (error: unknown) {
    throw bootFailure(error, config, '--port (under npm: `npm run demo -- --port N`)');
  }
}

/** Sessions of the director's own; the links that are printed stay unspent. */
async function signEveryoneIn(
  operator: Operator,
): Promise<Readonly<Record<string, PersonClient>> & { readonly vic: PersonClient }> {
  const people: Record<string, PersonClient> = {};
  for (const { subject } of PEOPLE) people[subject] = await signIn(await operator.signInUrl(subject));
  const { vic } = people;
  if (vic === undefined) throw new Error('expected the demo to know vic; this is a bug in hephaisto');
  return { ...people, vic };
}

async function links(operator: Operator) {
  return Promise.all(
    PEOPLE.map(async ({ subject, role }) => ({ principal: subject, role, url: await operator.signInUrl(subject) })),
  );
}

function stopped(stop: AbortSignal): Promise<undefined> {
  if (stop.aborted) return Promise.resolve(undefined);
  return new Promise((resolve_) => stop.addEventListener('abort', () => resolve_(undefined), { once: true }));
}

async function main(args: readonly string[]): Promise<ExitCode> {
  const parsed = parseDemoOptions(args, APPROVERS);
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return EXIT.done;
  }
  if (parsed.kind === 'usage') {
    process.stderr.write(`${parsed.message}\n`);
    return EXIT.usage;
  }
  const stop = stopSignal();
  try {
    return await demo(parsed.options, stop);
  } catch (error: unknown) {
    if (error instanceof CommandFailed || error instanceof StorageRefused) {
      process.stderr.write(`${error.message}\n`);
      return error.exitCode as ExitCode;
    }
    process.stderr.write(
      `expected the demo to run, found: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return EXIT.surroundings;
  }
}

// Handles that a library left open must not keep a stopped demo alive.
process.exit(await main(process.argv.slice(2)));
