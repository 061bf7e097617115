import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applicationState, helmReleaseState, kustomizationState, withAddress } from './self-heal.ts';

const SOURCE = { repoURL: 'https://git.example/shop.git', targetRevision: 'main', path: 'apps/shop' };

function application(syncPolicy: unknown, source: unknown = SOURCE) {
  return applicationState({ spec: { source, syncPolicy }, status: { sync: { revision: '3f2c' } } });
}

describe('whether a delivery tool takes changes back', () => {
  it('Argo CD does so only where the sync is automated and heals by itself', () => {
    const policies: readonly [unknown, string][] = [
      [undefined, 'off'],
      [{}, 'off'],
      [{ automated: {} }, 'off'],
      [{ automated: { selfHeal: false } }, 'off'],
      [{ automated: { selfHeal: true } }, 'on'],
      [{ automated: { selfHeal: true, enabled: false } }, 'off'],
      [{ automated: { selfHeal: 'true' } }, 'off'],
    ];
    for (const [policy, expected] of policies)
      assert.equal(application(policy).selfHeal, expected, JSON.stringify(policy));
  });

  it('Flux does so unless the Kustomization is suspended or the object is left out', () => {
    const state = (spec: object, annotations = {}) => kustomizationState({ spec }, { metadata: { annotations } });
    assert.equal(state({}).selfHeal, 'on');
    assert.equal(state({ suspend: true }).selfHeal, 'off');
    assert.equal(state({}, { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' }).selfHeal, 'off');
    assert.equal(state({}, { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' }).selfHeal, 'off');
  });

  it('a HelmRelease does so only where drift detection is switched on', () => {
    for (const [spec, expected] of [
      [{}, 'off'],
      [{ driftDetection: { mode: 'warn' } }, 'off'],
      [{ driftDetection: { mode: 'enabled' } }, 'on'],
      [{ driftDetection: { mode: 'enabled' }, suspend: true }, 'off'],
    ] as const)
      assert.equal(helmReleaseState({ spec }).selfHeal, expected, JSON.stringify(spec));
  });

  it('names repository, revision and path as the objects show them', () => {
    assert.deepEqual(application(undefined).source, {
      repository: 'https://git.example/shop.git',
      revision: 'main (synced 3f2c)',
      path: 'apps/shop',
    });
    const kustomization = {
      spec: { path: './apps', sourceRef: { kind: 'GitRepository', name: 'fleet' } },
      status: { lastAppliedRevision: 'main@sha1:3f2c' },
    };
    const { source } = kustomizationState(kustomization, {});
    assert.deepEqual(source, { repository: 'GitRepository fleet', revision: 'main@sha1:3f2c', path: './apps' });
    assert.equal(
      withAddress(source, { spec: { url: 'ssh://git@git.example/fleet' } }).repository,
      'ssh://git.example/fleet',
    );
    const release = { spec: { chart: { spec: { chart: 'shop', version: '1.x', sourceRef: { name: 'charts' } } } } };
    assert.deepEqual(helmReleaseState(release).source, { repository: 'source charts', revision: '1.x', path: 'shop' });
  });

  it('shows no credentials of an address, no control characters and no more than a line', () => {
    const source = { repoURL: `https://ana:s3cr3t@git.example/${'x'.repeat(1000)}`, path: 'a\u0000b\u202ec\n' };
    const { repository, path } = application(undefined, source).source;
    assert.ok(repository?.startsWith('https://git.example/') && repository.length <= 200);
    assert.equal(path, 'abc');
  });

  it('shows no part of a token that is longer than what is shown', () => {
    const source = { repoURL: `https://ana:${'A1b2C3d4E5'.repeat(60)}@git.example/shop.git` };
    assert.equal(application(undefined, source).source.repository, 'https://git.example/shop.git');
  });
});
