import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { printRbac } from './rbac.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hephaisto-rbac-'));
  await writeFile(
    join(folder, 'policy.yaml'),
    'version: 1\nnamespaces:\n  - { match: shop, kinds: [RestartPod], mode: approve }\n  - { match: web-*, kinds: [RollbackWorkload], mode: approve }\n',
  );
  await writeFile(join(folder, 'hephaisto.yaml'), 'acting: { policyFile: ./policy.yaml }\n');
});
after(() => rm(folder, { recursive: true, force: true }));

async function printed(namespace: readonly string[]) {
  const [out, talk]: [string[], string[]] = [[], []];
  const terminal = {
    out: (text: string) => out.push(text),
    talk: (text: string) => talk.push(text),
    env: {},
    stop: new AbortController().signal,
  };
  const code = await printRbac(terminal, join(folder, 'hephaisto.yaml'), { serviceAccount: 'hephaisto', namespace });
  assert.equal(code, 0);
  const objects = parseAllDocuments(out.join('')).map((document) => document.toJS() as Record<string, unknown>);
  return { objects, talk: talk.join('') };
}

const roles = (objects: readonly Record<string, unknown>[]) =>
  objects
    .filter(({ kind }) => kind === 'Role')
    .map(({ metadata }) => (metadata as { namespace: string }).namespace)
    .sort();

test('the manifests make the account, its reads and one Role for each namespace named outright', async () => {
  const { objects, talk } = await printed([]);
  assert.deepEqual(
    objects.slice(0, 3).map(({ kind }) => kind),
    ['Namespace', 'ServiceAccount', 'ClusterRole'],
  );
  assert.deepEqual(roles(objects), ['hephaisto', 'shop']);
  assert.match(talk, /web-\* names no single namespace: add --namespace NAME/);
});

test('a namespace that a pattern means gets its Role when it is named', async () => {
  const { objects } = await printed(['web-1', 'elsewhere']);
  assert.deepEqual(roles(objects), ['hephaisto', 'shop', 'web-1']);
});
