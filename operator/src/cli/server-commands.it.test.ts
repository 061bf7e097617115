import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../adapters/clock/clock.ts';
import { createIds } from '../adapters/ids/ids.ts';
import { ADMIN, type SimulatedCluster, startSimulatedCluster } from '../demo/cluster/simulated-cluster.ts';
import { createOperatorIdentity, OPERATOR } from '../demo/identity/operator-identity.ts';
import { runCommandLine } from './program.ts';

interface Running {
  readonly out: string[];
  readonly talk: string[];
  readonly stop: AbortController;
  readonly ended: Promise<number>;
}

/** Stopped at the end, whatever failed: an operator that serves on would keep the whole suite waiting. */
const started: Running[] = [];

function start(args: readonly string[], env: Record<string, string> = {}): Running {
  const [out, talk]: [string[], string[]] = [[], []];
  const stop = new AbortController();
  const terminal = { out: (t: string) => out.push(t), talk: (t: string) => talk.push(t), env, stop: stop.signal };
  const running = { out, talk, stop, ended: runCommandLine(args, terminal, '0.0.0-test') };
  started.push(running);
  return running;
}

describe('commands that run or examine an installation', () => {
  let cluster: SimulatedCluster;
  let folder: string;
  let config: Record<string, unknown>;

  before(async () => {
    cluster = await startSimulatedCluster({ now: () => new Date(), ids: createIds(systemClock) });
    await createOperatorIdentity(cluster.kubeconfigFor(ADMIN));
    folder = await mkdtemp(join(tmpdir(), 'hephaisto-cli-'));
    const { namespace, serviceAccount: name } = OPERATOR;
    await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfigFor({ serviceAccount: { namespace, name } }));
    config = {
      server: { port: 0 },
      database: { folder: join(folder, 'data') },
      kubernetes: { access: 'kubeconfig', kubeconfig: join(folder, 'kubeconfig') },
      telemetry: { logLevel: 'error' },
    };
  });
  after(async () => {
    for (const one of started.splice(0)) one.stop.abort();
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function file(overrides: Record<string, unknown> = {}): Promise<string> {
    const path = join(folder, 'hephaisto.yaml');
    await writeFile(path, JSON.stringify({ ...config, ...overrides }));
    return path;
  }

  test('migrate names what it applied, once', async () => {
    const path = await file();
    const first = start(['migrate', '--config', path]);
    assert.equal(await first.ended, 0);
    assert.ok(first.out.length > 3);
    const second = start(['migrate', '--config', path]);
    assert.equal(await second.ended, 0);
    assert.deepEqual(second.out, []);
  });

  test('run serves, prints one line and a sign-in link, holds its folder, and ends with 0 when stopped', async () => {
    const path = await file();
    const running = start(['run', '--config', path]);
    while (running.out.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(await Promise.race([running.ended, Promise.resolve('running')]), 'running', running.talk.join(''));
    }
    const ready = JSON.parse(running.out[0] ?? '') as { type: string; url: string };
    assert.equal(ready.type, 'ready');
    assert.equal((await fetch(`${ready.url}/livez`)).status, 200);
    assert.match(running.talk.join(''), /sign in once as admin: http:\/\/127\.0\.0\.1:\d+\/sign-in\?token=/);
    const second = start(['run', '--config', path]);
    assert.equal(await second.ended, 4);
    assert.match(second.talk.join(''), /expected .* found /);
    const { port } = new URL(ready.url);
    const elsewhere = await file({ server: { port: Number(port) }, database: { folder: join(folder, 'other') } });
    const third = start(['run', '--config', elsewhere]);
    assert.equal(await third.ended, 3);
    assert.match(third.talk.join(''), new RegExp(`expected port ${port} .* to be free, found it taken`));
    running.stop.abort();
    assert.equal(await running.ended, 0);
    await assert.rejects(fetch(`${ready.url}/livez`));
  });

  test('a wrong configuration is exit code 2 with every path, an unreachable cluster 5', async () => {
    const nowhere = start(['run', '--config', join(folder, 'none.yaml')]);
    assert.equal(await nowhere.ended, 2);
    assert.match(nowhere.talk.join(''), /expected a readable .+, found ENOENT.*; name one that exists/);
    const wrong = start(['run', '--config', await file({ server: { prot: 1 }, nothing: 1 })]);
    assert.equal(await wrong.ended, 2);
    assert.match(wrong.talk.join(''), /server\.prot: .*\n.*nothing: /);
    const misspelt = start(['run', '--config', await file()], { HEPHAISTO_SERVER_PROT: '1' });
    assert.equal(await misspelt.ended, 2);
    await writeFile(join(folder, 'away'), cluster.kubeconfigFor(ADMIN).replace(cluster.url, 'https://127.0.0.1:9'));
    const kubernetes = { access: 'kubeconfig', kubeconfig: join(folder, 'away') };
    const away = start(['run', '--config', await file({ kubernetes })]);
    assert.equal(await away.ended, 5);
    assert.match(away.talk.join(''), /expected to read the namespace kube-system of https:\/\/127\.0\.0\.1:9/);
  });

  test('doctor is content with a choice, and fails for what is configured and missing, with what to do', async () => {
    const path = await file();
    const well = start(['doctor', '--config', path, '-o', 'json']);
    const code = await well.ended;
    const report = JSON.parse(well.out.join('')) as {
      ok: boolean;
      findings: { name: string; status: string; remedy: string }[];
    };
    assert.deepEqual(
      [code, report.ok],
      [0, true],
      JSON.stringify(report.findings.filter((f) => f.status === 'missing')),
    );
    const broken = await file({
      acting: { policyFile: join(folder, 'none.yaml') },
    });
    const ill = start(['doctor', '--config', broken]);
    assert.equal(await ill.ended, 1);
    assert.match(ill.out.join(''), /\[-\] policy: .*none\.yaml.*\n {4}lost: .*\n {4}do: mend /);
  });

  test('an identity that may do more than is enabled does not start: exit code 6, and doctor says what to take away', async () => {
    await writeFile(join(folder, 'admin'), cluster.kubeconfigFor(ADMIN));
    const kubernetes = { access: 'kubeconfig', kubeconfig: join(folder, 'admin') };
    const path = await file({ kubernetes });
    const { ended, talk } = start(['run', '--config', path]);
    assert.equal(await ended, 6);
    assert.match(
      talk.join(''),
      /expected no right beyond what the enabled actions need, found: .*; take these from the service account/,
    );
    const examined = start(['doctor', '--config', path]);
    assert.equal(await examined.ended, 1);
    assert.match(examined.out.join(''), /\[-\] write-rights: .*\n {4}lost: the operator does not start/);
  });
});
