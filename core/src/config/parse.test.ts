import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationPage, exampleFile } from './document.ts';
import { configOptions, environmentName } from './options.ts';
import { parseConfig } from './parse.ts';

function problems(file: unknown, env: Record<string, string> = {}): readonly string[] {
  const parsed = parseConfig(file, env);
  return parsed.kind === 'ok' ? [] : parsed.problems.map((problem) => `${problem.path}: ${problem.message}`);
}

test('an empty file is a whole configuration', () => {
  const parsed = parseConfig(undefined, {});
  assert.equal(parsed.kind, 'ok');
  if (parsed.kind === 'ok') assert.equal(parsed.config.server.stream.heartbeat, 15_000);
});

const REFUSED: Readonly<Record<string, readonly [unknown, Record<string, string>, RegExp]>> = {
  'an unknown option is named with its path': [{ server: { prot: 1 } }, {}, /^server\.prot: expected a known option/],
  'a wrong type says what was expected and found': [
    { server: { port: 'x' } },
    {},
    /^server\.port: expected a number, found `x`/,
  ],
  'a number out of range says the bound': [
    { server: { port: 70000 } },
    {},
    /^server\.port: expected at most 65535, found `70000`/,
  ],
  'a length of time without unit is refused': [
    { auth: { sessionIdle: '5' } },
    {},
    /^auth\.sessionIdle: expected a duration such as `10m`/,
  ],
  'an unknown word says which ones there are': [
    { database: { kind: 'mysql' } },
    {},
    /one of `embedded`, `postgres`, found `mysql`/,
  ],
  'a list at the top is no configuration': [[], {}, /expected options by name/],
  'a misspelt variable is refused': [
    {},
    { HEPHAISTO_SERVER_PROT: '1' },
    /^HEPHAISTO_SERVER_PROT: .*check its spelling/,
  ],
  'a variable of the wrong type is refused': [
    {},
    { HEPHAISTO_SERVER_PORT: 'x' },
    /^HEPHAISTO_SERVER_PORT: expected a number, found `x`/,
  ],
  'a server without connection string contradicts itself': [
    { database: { kind: 'postgres' } },
    {},
    /^database\.urlFile:/,
  ],
  'a connection string for the embedded database contradicts itself': [
    { database: { url: 'postgres://x' } },
    {},
    /^database\.kind:/,
  ],
  'a kubeconfig that is not used contradicts itself': [
    { kubernetes: { kubeconfig: '/x' } },
    {},
    /^kubernetes\.access:/,
  ],
  'listening to the world without saying under which name is refused': [
    { server: { host: '0.0.0.0' } },
    {},
    /^server\.publicUrl:/,
  ],
};

for (const [sentence, [file, env, expected]] of Object.entries(REFUSED)) {
  test(sentence, () => {
    const found = problems(file, env);
    assert.ok(
      found.some((line) => expected.test(line)),
      `expected ${expected}, found ${JSON.stringify(found)}`,
    );
  });
}

test('all that is wrong is said at once', () => {
  assert.equal(problems({ server: { prot: 1, port: 'x' }, nothing: {} }).length, 3);
});

test('the environment wins over the file', () => {
  const parsed = parseConfig(
    { server: { port: 1 } },
    { HEPHAISTO_SERVER_PORT: '2', HEPHAISTO_SERVER_ALLOWED_HOSTS: 'a, b' },
  );
  assert.equal(parsed.kind, 'ok');
  if (parsed.kind === 'ok')
    assert.deepEqual([parsed.config.server.port, ...parsed.config.server.allowedHosts], [2, 'a', 'b']);
});

test('every option has its own variable and a sentence that says what it does', () => {
  const options = configOptions();
  assert.equal(new Set(options.map((option) => option.env)).size, options.length);
  assert.deepEqual(
    options.filter((option) => option.description === '').map((option) => option.path),
    [],
  );
  assert.equal(environmentName('server.stream.perAccount'), 'HEPHAISTO_SERVER_STREAM_PER_ACCOUNT');
});

test('the reference page and the example file name every option', () => {
  const page = configurationPage();
  const example = exampleFile();
  for (const option of configOptions()) {
    assert.ok(page.includes(`\`${option.path}\``), option.path);
    assert.ok(example.includes(`${option.path.split('.').at(-1)}:`), option.path);
  }
});
