import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CHECKS } from './checks.ts';
import { type Outcome, runChecks } from './harness/check.ts';
import { launchChromium } from './harness/chromium.ts';
import { startCrowd } from './harness/crowd.ts';
import { runningDemo, startDemo } from './harness/demo.ts';
import { type Options, parseOptions } from './harness/options.ts';
import { setShotsFolder } from './harness/shots.ts';
import { openWorld } from './harness/world.ts';
import { WrongCall } from './harness/wrong-call.ts';

const FIRST_STORY = 'bad-rollout';

/** Exit code 0 when every check holds, 1 when one does not, 2 for a wrong call, 5 when Chromium is missing. */
async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if ('usage' in options) {
    process.stderr.write(options.usage);
    return 2;
  }
  try {
    return await check(options);
  } catch (error: unknown) {
    if (!(error instanceof WrongCall)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
}

async function check(options: Options): Promise<number> {
  const checks = CHECKS.filter(({ name }) => options.only === undefined || name.includes(options.only));
  mkdirSync(resolve(options.shots), { recursive: true });
  setShotsFolder(resolve(options.shots));
  const running =
    options.baseUrl === undefined ? undefined : runningDemo(options.baseUrl, options.data && resolve(options.data));
  const browser = await launchChromium();
  const demo =
    running ??
    (await startDemo(FIRST_STORY).catch(async (error: unknown) => {
      await browser.close();
      throw error;
    }));
  const world = openWorld(browser, demo, startCrowd);
  const leave = () => void Promise.allSettled([world.close(), demo.close()]).then(() => process.exit(1));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, leave);
  try {
    return summarise(await runChecks(checks, world, (outcome) => tell(outcome, options.json)), options);
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

function summarise(outcomes: readonly Outcome[], { json, shots, counts }: Options): number {
  const failed = outcomes.filter(({ ok }) => !ok).length;
  const passed = outcomes.length - failed;
  if (counts !== undefined) {
    mkdirSync(dirname(resolve(counts)), { recursive: true });
    writeFileSync(counts, JSON.stringify({ passed, failed }));
  }
  if (json) process.stdout.write(`${JSON.stringify({ type: 'summary', passed, failed, skipped: 0 })}\n`);
  else process.stdout.write(`\n${passed} passed, ${failed} failed; screenshots in ${shots}\n`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
