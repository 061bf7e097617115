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
  'a pattern of namespaces closes none to investigations': [
    { investigation: { deniedNamespaces: ['kube-*'] } },
    {},
    /^investigation\.deniedNamespaces\.0: expected the name of one namespace/,
  ],
  'a pattern of hosts lets no host in': [
    { server: { allowedHosts: ['*.example.com'] } },
    {},
    /^server\.allowedHosts\.0: expected a host such as/,
  ],
  'a name that the database cannot store stops no start halfway': [
    { auth: { people: [{ subject: 'ana', name: 'A\0', grants: [{ role: 'admin' }] }] } },
    {},
    /^auth\.people\.0\.name: expected a name without control characters/,
  ],
  'a name that reads as another is refused': [
    { auth: { people: [{ subject: 'ana', name: '\u202eneb', grants: [{ role: 'admin' }] }] } },
    {},
    /^auth\.people\.0\.name: expected a name without control characters/,
  ],
  'an account of the installation itself belongs to no person': [
    {
      auth: {
        people: [
          { subject: 'ana', name: 'Ana', grants: [{ role: 'admin' }], identities: ['service:hephaisto/policy'] },
        ],
      },
    },
    {},
    /^auth\.people\.0\.identities\.0: expected the subject of an account/,
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
  'a retry that waits longer than its longest wait is refused': [
    { notify: { firstRetry: '1h' } },
    {},
    /^notify\.firstRetry: expected at most `notify.longestRetry` \(15m\), found 1h/,
  ],
  'an incident that expires before it can be resolved is refused': [
    { incidents: { quiet: '2h', expiry: '1h' } },
    {},
    /^incidents\.quiet: expected at most `incidents.expiry` \(1h\), found 2h/,
  ],
  'a fault that is repeated less often because it changes is refused': [
    { ingest: { watch: { repeat: '10s' } } },
    {},
    /^ingest\.watch\.repeatChanged: expected at most `ingest.watch.repeat`/,
  ],
  'an investigation that waits for a stable picture until its deadline is refused': [
    { investigation: { settle: '30s', deadline: '20s', callTimeout: '1s' } },
    {},
    /^investigation\.settle:/,
  ],
  'a person with the name of the first admin is refused where that account is made': [
    { auth: { people: [{ subject: 'admin', name: 'Adi', grants: [{ role: 'viewer' }] }] } },
    {},
    /^auth\.people\.0\.subject: expected another name than `admin`/,
  ],
  'a read that may take longer than its investigation is refused': [
    { investigation: { callTimeout: '1m', deadline: '30s' } },
    {},
    /^investigation\.callTimeout:/,
  ],
  'a model that may answer more than it can read is refused': [
    {
      model: {
        provider: 'openai',
        name: 'm',
        baseUrl: 'http://127.0.0.1:1',
        contextTokens: 4096,
        prices: [{ model: 'm', input: 0, output: 0, asOf: '2026-01-01' }],
      },
    },
    {},
    /^model\.maxOutputTokens: expected at most `model.contextTokens` \(4096\)/,
  ],
  'a maintenance window that ends before it begins is refused': [
    {
      incidents: {
        maintenance: [{ name: 'w', from: '2026-01-02T00:00:00+02:00', to: '2026-01-01T22:00:00Z' }],
      },
    },
    {},
    /^incidents\.maintenance\.0\.to: expected `from` before `to`/,
  ],
  'a length of time that no clock can add is refused': [
    { incidents: { expiry: '9000000d' } },
    {},
    /^incidents\.expiry: expected a duration such as `10m`, at most 3650d/,
  ],
  'a session that ends at once is refused': [{ auth: { sessionLife: '0s' } }, {}, /^auth\.sessionLife:/],
  'a body limit of nothing is refused': [{ server: { bodyLimit: '0B' } }, {}, /^server\.bodyLimit:.*from 16KiB/],
  'a grant in a namespace that cannot exist is refused': [
    { auth: { people: [{ subject: 'ana', name: 'Ana', grants: [{ role: 'admin', namespace: 'a\u0000' }] }] } },
    {},
    /^auth\.people\.0\.grants\.0\.namespace: expected the name of a namespace/,
  ],
  'an account that belongs to two people is refused': [
    {
      auth: {
        people: ['ana', 'ben'].map((subject) => ({
          subject,
          name: subject,
          grants: [{ role: 'viewer' }],
          identities: ['kubernetes:x'],
        })),
      },
    },
    {},
    /^auth\.people\.1\.identities: expected another account than `kubernetes:x`, which belongs to `ana`/,
  ],
  'a person named twice is refused, since only one entry could count': [
    {
      auth: {
        people: ['ana', 'ana'].map((subject) => ({ subject, name: subject, grants: [{ role: 'viewer' }] })),
      },
    },
    {},
    /^auth\.people\.1\.subject: expected each person once/,
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
