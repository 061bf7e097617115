import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../adapters/clock/clock.ts';
import { createIds } from '../adapters/ids/ids.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { ADMIN } from './cluster/simulated-cluster.ts';
import { createPace } from './pace.ts';
import { playStory, startSimulatedWorld } from './stories/simulated-world.ts';
import { findStory, STORIES } from './stories/story-book.ts';

const HELP = `npm run sim -- [options]

  --port N     port of the API server (default: a free one)
  --story ID   story to play in it: ${Object.keys(STORIES).join(', ')}
  --speed N    divides waiting (default 10)
  --json       one JSON object a line on stdout: {"type":"ready","kubeconfig","alertmanager","pid"}
`;

/** The simulated cluster alone, until it is stopped. Exit codes: 0 stopped, 2 usage, 3 port taken, 5 it could not run. */
async function main(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options.kind !== 'run') {
    process.stderr.write(`${options.message}\n`);
    return options.kind === 'help' ? 0 : 2;
  }
  const pace = createPace(options.speed);
  const world = await startSimulatedWorld({
    pace,
    ids: createIds(systemClock),
    random: Math.random,
    ...(options.port === undefined ? {} : { port: options.port }),
    onTrouble: (part, error) => process.stderr.write(`sim: ${part}: ${String(error)}\n`),
  });
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-sim-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, world.cluster.kubeconfigFor(ADMIN), { mode: 0o600 });
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ v: 1, type: 'ready', kubeconfig, alertmanager: world.alertmanager.url, pid: process.pid })}\n`,
    );
  process.stderr.write(
    `simulated cluster: kubectl --kubeconfig ${kubeconfig} get pods -A\nalertmanager: ${world.alertmanager.url}\n`,
  );
  const story = options.story === undefined ? undefined : findStory(options.story);
  const run =
    story === undefined
      ? undefined
      : await playStory(
          { ...world, pace, onStep: (step) => process.stderr.write(`story: ${step.note}\n`) },
          story,
          story.id,
        );
  run?.played.then(
    () => process.stderr.write('story: the timeline has ended\n'),
    (error: unknown) => process.stderr.write(`story: ${String(error)}\n`),
  );
  await once(stopSignal(), 'abort');
  await run?.stop();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
  return 0;
}

type Parsed =
  | {
      readonly kind: 'run';
      readonly port?: number;
      readonly story?: string;
      readonly speed: number;
      readonly json: boolean;
    }
  | { readonly kind: 'help' | 'usage'; readonly message: string };

function parse(args: readonly string[]): Parsed {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        story: { type: 'string' },
        speed: { type: 'string', default: '10' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help', message: HELP };
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
      return { kind: 'usage', message: `expected --port to be a number from 0 to 65535, found \`${values.port}\`` };
    const speed = Number(values.speed);
    if (!(speed >= 1 && speed <= 100))
      return { kind: 'usage', message: `expected --speed to be a number from 1 to 100, found \`${values.speed}\`` };
    if (values.story !== undefined && findStory(values.story) === undefined)
      return {
        kind: 'usage',
        message: `expected --story to be one of ${Object.keys(STORIES).join(', ')}, found \`${values.story}\``,
      };
    return {
      kind: 'run',
      speed,
      json: values.json,
      ...(port === undefined ? {} : { port }),
      ...(values.story === undefined ? {} : { story: values.story }),
    };
  } catch (error: unknown) {
    return {
      kind: 'usage',
      message: `expected the options that \`npm run sim -- --help\` lists, found: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

async function end(): Promise<void> {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error: unknown) {
    const taken = (error as { code?: unknown }).code === 'EADDRINUSE';
    process.stderr.write(
      taken
        ? 'expected a free port, found it taken; choose another with --port\n'
        : `expected the simulated cluster to run, found: ${String(error)}\n`,
    );
    process.exitCode = taken ? 3 : 5;
  }
  process.exit();
}

await end();
