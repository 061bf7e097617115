import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const LAUNCH = fileURLToPath(new URL('../../../bin/launch.mjs', import.meta.url));

/** Both outputs of a command that only tells its options. */
function help(
  command: string,
  environment: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [LAUNCH, command, ...more, '--help'],
      { env: { PATH: process.env.PATH ?? '', npm_lifecycle_event: command, ...environment } },
      (error, stdout, stderr) => (error === null ? resolve({ stdout, stderr }) : reject(error)),
    );
  });
}

test('options that npm took for its own are told, for every option that the help lists', async () => {
  const { stdout, stderr } = await help('demo', {});
  assert.ok(!stderr.includes('npm has kept'));
  const options = [...stdout.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name ?? '');
  assert.ok(options.length >= 8, stdout);
  const taken = Object.fromEntries(options.map((name) => [`npm_config_${name.replaceAll('-', '_')}`, 'true']));
  const hint = (await help('demo', taken)).stderr;
  for (const name of options) assert.ok(hint.includes(`--${name}`), `--${name}: ${hint}`);
  assert.match(hint, /`npm run demo -- --port …`/);
});

test('an npm further up that was given the same word has kept nothing of ours', async () => {
  const { stderr } = await help('demo', { npm_lifecycle_event: 'other', npm_config_data: 'x' });
  assert.ok(!stderr.includes('npm has kept'), stderr);
});

test('an option that reached the command is nobody else’s, whatever npm was told besides', async () => {
  const { stderr } = await help('demo', { npm_config_json: 'true', npm_config_exit: 'false' }, ['--json']);
  assert.ok(!stderr.includes('npm has kept'), stderr);
});
