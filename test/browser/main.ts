import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { CHECKS } from './checks.ts';
import { type Outcome, runChecks } from './harness/check.ts';
import { type Demo, runningDemo, startDemo } from './harness/demo.ts';
import { parseOptions } from './harness/options.ts';
import { setShotsFolder } from './harness/shots.ts';
import { openWorld } from './harness/world.ts';

const READY_FILE = '.hephaisto/demo/ready.json';
const FIRST_STORY = 'bad-rollout';

/** Exit code 0 when every check holds, 1 when one does not, 2 for a wrong call. */
async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if ('usage' in options) {
    process.stderr.write(options.usage);
    return 2;
  }
  const checks = CHECKS.filter(({ name }) => options.only === undefined || name.includes(options.only));
  mkdirSync(resolve(options.shots), { recursive: true });
  setShotsFolder(resolve(options.shots));
  const demo: Demo =
    options.baseUrl === undefined
      ? await startDemo(FIRST_STORY)
      : runningDemo(options.baseUrl, resolve(options.links ?? READY_FILE));
  const world = await openWorld(demo);
  try {
    const outcomes = await runChecks(checks, world, (outcome) => tell(outcome, options.json));
    return summarise(outcomes, options.json, options.shots);
  } finally {
    await world.close();
    await demo.close();
  }
}

function tell(outcome: Outcome, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify({ type: 'check', ...outcome })}\n`);
  else
    process.stdout.write(
      `${outcome.ok ? 'ok    ' : 'FAILED'} ${outcome.name} (${outcome.ms} ms)${outcome.figures === undefined ? '' : ` ${JSON.stringify(outcome.figures)}`}${outcome.message === undefined ? '' : `\n       ${outcome.message}`}\n`,
    );
}

function summarise(outcomes: readonly Outcome[], json: boolean, shots: string): number {
  const failed = outcomes.filter(({ ok }) => !ok).length;
  const passed = outcomes.length - failed;
  if (json) process.stdout.write(`${JSON.stringify({ type: 'summary', passed, failed, skipped: 0 })}\n`);
  else process.stdout.write(`\n${passed} passed, ${failed} failed; screenshots in ${shots}\n`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
