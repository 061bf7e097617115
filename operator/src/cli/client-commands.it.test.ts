import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type ApiUnderTest, startTestApi } from '@hephaisto/test/api';
import {
  insertIncident,
  insertInvestigation,
  insertProposal,
  moveIncidentTo,
  noteOn,
} from '@hephaisto/test/incident-rows';
import { runCommandLine } from './program.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly talk: string;
}

async function run(
  args: readonly string[],
  env: Record<string, string> = {},
  stop = new AbortController(),
): Promise<Ran> {
  const [out, talk]: [string[], string[]] = [[], []];
  const code = await runCommandLine(
    args,
    { out: (text) => out.push(text), talk: (text) => talk.push(text), env, stop: stop.signal },
    '0.0.0-test',
  );
  return { code, out: out.join(''), talk: talk.join('') };
}

describe('the command line against a server', () => {
  let api: ApiUnderTest;
  let env: Record<string, string>;
  let incident: string;
  let number: string;
  let proposal: { proposalId: string; digest: string };

  before(async () => {
    api = await startTestApi({
      commands: {
        decide: async ({ proposalId, decision }) =>
          decision === 'deny'
            ? { kind: 'refused', reason: 'already-decided', message: 'the proposal is approved', details: {} }
            : { kind: 'voted', proposal: { id: proposalId, state: 'Approved' }, votes: 1, quorum: 1 },
      },
    });
    incident = await insertIncident(api.db, { title: 'web\u001b[31m crashes' });
    await moveIncidentTo(api.db, incident, 'AwaitingApproval');
    const { investigationId } = await insertInvestigation(api.db, incident, { stepText: 'a text that is long enough' });
    proposal = await insertProposal(api.db, incident, investigationId);
    const rows = await api.db.query<{ number: number }>('SELECT number FROM incidents WHERE id = $1', [incident]);
    number = String(rows[0]?.number);
    const ada = await api.signIn('ada');
    const made = await api.call('/api/v1/tokens', { as: ada, body: { principal: 'cli', role: 'admin' } });
    env = { HEPHAISTO_SERVER: api.url, HEPHAISTO_TOKEN: String(made.body.token) };
  });
  after(() => api[Symbol.asyncDispose]());

  test('incidents are listed as a table, without the text of logs reaching the terminal raw', async () => {
    const { code, out } = await run(['incidents', 'list', '-o', 'wide'], env);
    assert.equal(code, 0);
    assert.match(out, /^NUMBER +SEVERITY +STATE/);
    assert.match(out, /critical +AwaitingApproval +shop +Deployment\/web/);
    assert.ok(!out.includes('\u001b') && out.includes('\\u001b'));
    assert.equal((await run(['incidents', 'list', '--no-headers', '-o', 'name'], env)).out, `incident/${number}\n`);
    assert.equal((await run(['incidents', 'list', '-n', 'nowhere', '--no-headers'], env)).out, '');
  });

  test('machines get the same shape as from the API, and nothing else on stdout', async () => {
    const { out } = await run(['incidents', 'get', number, '-o', 'json'], env);
    assert.equal((JSON.parse(out) as { id: string }).id, incident);
    const listed = await run(['incidents', 'list', '-o', 'json'], env);
    assert.equal((JSON.parse(listed.out) as { id: string }[])[0]?.id, incident);
  });

  test('people get the answers to their questions in order', async () => {
    const { out } = await run(['incidents', 'get', incident], env);
    const at = (text: string) => {
      const index = out.indexOf(text);
      assert.ok(index >= 0, text);
      return index;
    };
    const order = [
      'AwaitingApproval',
      'next: waiting',
      'cause (proven)',
      'changed: revision 1',
      `digest ${proposal.digest}`,
    ].map(at);
    assert.deepEqual(
      [...order].sort((a, b) => a - b),
      order,
    );
  });

  test('approving takes the digest that was shown; without it nothing is decided', async () => {
    const before = api.commanded.length;
    const shown = await run(['approve', number], env);
    assert.equal(shown.code, 2);
    assert.match(shown.talk, new RegExp(`--digest ${proposal.digest}`));
    assert.equal(api.commanded.length, before);
    const done = await run(['approve', number, '--digest', proposal.digest, '--reason', 'seen'], env);
    assert.deepEqual([done.code, done.out], [0, `proposal ${proposal.proposalId} is Approved with 1 of 1 votes\n`]);
  });

  test('grants are listed with their source, and one is revoked by its id', async () => {
    const listed = await run(['grants', 'list'], env);
    assert.match(listed.out, /^ID +ACCOUNT +KIND +ROLE +NAMESPACE +SOURCE/);
    assert.match(listed.out, /nina +person +approver +shop +configuration/);
    assert.match(listed.out, /cli +service +admin +\(all\) +token [0-9a-f]{16}/);
    const id = /^(\d+) +nina/m.exec(listed.out)?.[1] ?? '';
    const revoked = await run(['grants', 'revoke', id], env);
    assert.equal(revoked.code, 0);
    assert.match(revoked.talk, /nina is no longer approver in shop/);
    assert.equal((await run(['grants', 'revoke', id], env)).code, 1);
  });

  test('a refusal is exit code 1 with the problem’s code', async () => {
    const denied = await run(['deny', proposal.proposalId, '--digest', proposal.digest, '--reason', 'no'], env);
    assert.deepEqual([denied.code, denied.out], [1, '']);
    assert.match(denied.talk, /^refused \(already-decided\): the proposal is approved\n$/);
    assert.equal((await run(['deny', proposal.proposalId, '--digest', proposal.digest], env)).code, 2);
    const unknown = await run(['incidents', 'get', '99999'], env);
    assert.match(unknown.talk, /refused \(incident-not-found\)/);
  });

  test('the kill switch is turned, and says how it stands', async () => {
    assert.equal((await run(['killswitch', 'on'], env)).code, 2);
    assert.equal((await run(['killswitch', 'on', '--reason', 'r'], env)).code, 0);
    assert.equal((await run(['killswitch', 'off', '--reason', 'r'], env)).code, 0);
    const commanded = api.commanded.slice(-2).map(({ command }) => [command.name, command.value]);
    assert.deepEqual(commanded, [
      ['emergency_stop', 'on'],
      ['emergency_stop', 'off'],
    ]);
    assert.match((await run(['killswitch', 'status'], env)).out, /^emergency_stop is off/);
  });

  test('the mode is set by an admin with a reason, and shown with what each arm says', async () => {
    assert.equal((await run(['mode', 'set', 'approve'], env)).code, 2);
    assert.equal((await run(['mode', 'set', 'approve', '--reason', 'r'], env)).code, 0);
    const { command } = api.commanded.at(-1) ?? assert.fail('nothing was commanded');
    assert.deepEqual([command.name, command.value], ['agent_mode', 'approve']);
    assert.match((await run(['mode', 'show'], env)).out, /^mode in force: \w+ .*\n {2}\w+: /);
  });

  test('only the whole digest is taken, and only a number or an id names an incident', async () => {
    const short = await run(['approve', number, '--digest', proposal.digest.slice(0, 12)], env);
    assert.equal(short.code, 2);
    assert.match(short.talk, new RegExp(`nothing shorter is accepted; read it with .incidents get ${number}`));
    const word = await run(['incidents', 'get', 'abc'], env);
    assert.equal(word.code, 2);
    assert.match(word.talk, /expected the number of an incident such as `12`, or its id, found `abc`/);
  });

  test('a link that is used up makes no token', async () => {
    const args = ['token', 'create', '--principal', 'ci', '--role', 'viewer', '--link'];
    const refused = await run([...args, `${api.url}/sign-in?token=spent`]);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.talk, /run. prints a new one at each start/);
    assert.equal((await run([...args, 'nonsense'])).code, 2);
  });

  test('a made token stands alone on stdout', async () => {
    const { out, talk } = await run(
      ['token', 'create', '--principal', 'ci', '--role', 'viewer', '--expires-in', '1d'],
      env,
    );
    assert.match(out, /^hph_[\w-]{43}\n$/);
    assert.match(talk, /not shown again/);
  });

  test('watching prints one line an event, survives a restart, and ends with 0 when stopped', async () => {
    const stop = new AbortController();
    const out: string[] = [];
    const ended = runCommandLine(
      ['incidents', 'watch', '--server', api.url, '-o', 'json'],
      { out: (text) => out.push(text), talk: () => undefined, env, stop: stop.signal },
      '0',
    );
    const streams = async () => (await api.call('/metrics')).text.match(/^hephaisto_streams_open (\d+)/m)?.[1];
    while ((await streams()) !== '1') await new Promise((resolve) => setTimeout(resolve, 20));
    await noteOn(api.db, incident, 'watched');
    while (out.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort();
    assert.equal(await ended, 0);
    assert.equal((JSON.parse(out[0] ?? '') as { incident: { number: number } }).incident.number, Number(number));
  });

  test('a value that only the server knows to be wrong is exit code 2, too', async () => {
    const { code, out, talk } = await run(['incidents', 'list', '--state', 'Nowhere'], env);
    assert.deepEqual([code, out], [2, '']);
    assert.match(talk, /^refused \(invalid-request\): .*state/);
  });

  test('who is not known is told where to put the token', async () => {
    const { code, talk } = await run(['incidents', 'list'], { HEPHAISTO_SERVER: api.url });
    assert.equal(code, 1);
    assert.match(talk, /refused \(unauthenticated\).*HEPHAISTO_TOKEN/);
  });
});

const USAGE: Readonly<Record<string, readonly string[]>> = {
  'an unknown command': ['nonsense'],
  'an unknown option': ['incidents', 'list', '--colour'],
  'a wrong format': ['incidents', 'list', '-o', 'xml'],
  'a missing argument': ['incidents', 'get'],
  'no command at all': [],
  'a noun without its verb': ['incidents'],
  'a wrong word': ['killswitch', 'maybe'],
  'a wrong duration': ['incidents', 'list', '--request-timeout', '5'],
  'a server that is no URL': ['incidents', 'list', '--server', 'nowhere'],
};
for (const [sentence, args] of Object.entries(USAGE)) {
  test(`${sentence} is exit code 2`, async () => {
    const { code, out, talk } = await run(args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(talk, /^expected .*, found /m);
  });
}

test('a server that does not answer is exit code 5, help and version are 0', async () => {
  const away = await run(['incidents', 'list', '--server', 'http://127.0.0.1:9']);
  assert.equal(away.code, 5);
  assert.match(away.talk, /^expected an answer from http:\/\/127\.0\.0\.1:9, found /);
  assert.equal((await run(['--help'])).code, 0);
  assert.equal((await run(['--version'])).out, '0.0.0-test\n');
});

test('commands that speak to a server load neither the Kubernetes client nor the database', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { runCommandLine } = await import(${JSON.stringify(join(import.meta.dirname, 'program.ts'))});
    const never = new AbortController().signal;
    await runCommandLine(['incidents', 'list', '--server', 'http://127.0.0.1:9'], { out() {}, talk() {}, env: {}, stop: never }, '0');
    console.log(JSON.stringify(loaded.filter((url) => /client-node|pglite|node_modules\\/pg\\/|fastify/.test(url))));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.deepEqual(JSON.parse(stdout), []);
});
