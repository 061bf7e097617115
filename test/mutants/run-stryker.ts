import { readFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { ROOT } from '../gate/sources.ts';
import type { Outcome } from './reasons.ts';

type Result = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const CONCURRENCY = 2;
/** Stryker stops a mutant that loops by its count of hits. The time limit is for one that waits, and a busy machine must not reach it. */
const MAX_RUN_MS = 120_000;

/** Mutates the files, which are all of one workspace, and runs the workspace's tests against each mutant. */
export async function runStryker(workspace: string, files: readonly string[]): Promise<readonly Outcome[]> {
  // The runner starts `node` by name, and the host's own Node may be too old to strip types.
  process.env.PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`;
  const stryker = new Stryker({
    mutate: [...files],
    testRunner: 'tap',
    tap: {
      testFiles: [`${workspace}/src/**/*.test.ts`],
      nodeArgs: ['--disable-warning=ExperimentalWarning', '--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
      forceBail: true,
    },
    coverageAnalysis: 'perTest',
    ignorers: ['sentences'],
    ignorePatterns: ['**', `!${workspace}/**`, '!package.json'],
    plugins: [import.meta.resolve('@stryker-mutator/tap-runner'), join(ROOT, 'test/mutants/sentences.ts')],
    reporters: ['progress-append-only'],
    // Node strips no types below node_modules, so the copy of the sources is not kept in node_modules/.cache.
    tempDirName: '.cache/mutants',
    concurrency: CONCURRENCY,
    timeoutMS: MAX_RUN_MS,
  });
  const results = await stryker.runMutationTest();
  return results.map(outcomeOf);
}

function outcomeOf({ fileName, location, replacement, status, statusReason }: Result): Outcome {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  const lineNumber = location.start.line;
  return {
    file: relative(ROOT, fileName).replaceAll('\\', '/'),
    lineNumber,
    line: (lines[lineNumber - 1] ?? '').trim(),
    replacement: replacement ?? '',
    status: statusOf(status, statusReason),
  };
}

/**
 * A mutant that throws while a test file is loaded fails before any test runs. Stryker calls that a runtime error; here it is killed, since
 * the same files load without the mutant. A process that a signal ended has no exit code and proves nothing.
 */
function statusOf(status: Result['status'], reason = ''): Outcome['status'] {
  if (status === 'Killed' || status === 'Timeout') return 'killed';
  if (status === 'Survived' || status === 'NoCoverage') return 'survived';
  if (status === 'Ignored') return 'ignored';
  return status === 'RuntimeError' && /exited with code \d/.test(reason) ? 'killed' : 'invalid';
}
