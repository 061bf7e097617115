import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type GitOpsMark, gitOpsMarks } from './marks.ts';

const TEMPLATE = ['spec', 'template'];
const REPLICAS = ['spec', 'replicas'];

function marks(metadata: Record<string, unknown>, field: readonly string[] = TEMPLATE): readonly GitOpsMark[] {
  return gitOpsMarks({ metadata: { namespace: 'shop', ...metadata } }, field);
}

function owners(metadata: Record<string, unknown>): readonly string[] {
  return marks(metadata).map(({ tool, owner }) =>
    owner === undefined ? tool : `${tool}: ${owner.kind} ${owner.namespace ?? '?'}/${owner.name}`,
  );
}

const writes = (manager: string, fields: Record<string, unknown>) => [
  { manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:template': {} } } },
  { manager, fieldsV1: fields },
];

const CASES: Readonly<Record<string, readonly [metadata: Record<string, unknown>, expected: readonly string[]]>> = {
  'nothing shows a tool': [{ labels: { app: 'shop', 'app.kubernetes.io/instance': 'shop' } }, []],
  'a tracking annotation of Argo CD': [
    { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/checkout' } },
    ['Argo CD: Application ?/shop'],
  ],
  'an Application in a namespace of its own': [
    { annotations: { 'argocd.argoproj.io/tracking-id': 'team-a_shop:apps/Deployment:shop/checkout' } },
    ['Argo CD: Application team-a/shop'],
  ],
  'a tracking label of Argo CD': [
    { labels: { 'argocd.argoproj.io/instance': 'shop' } },
    ['Argo CD: Application ?/shop'],
  ],
  'the common label, where Argo CD has written the object': [
    { labels: { 'app.kubernetes.io/instance': 'shop' }, managedFields: writes('argocd-controller', {}) },
    ['Argo CD: Application ?/shop'],
  ],
  'a manager of Argo CD alone': [{ managedFields: writes('argocd-application-controller', {}) }, ['Argo CD']],
  'an owner that is an Application': [
    { ownerReferences: [{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', name: 'shop' }] },
    ['Argo CD: Application shop/shop'],
  ],
  'an Argo Rollout, which declares nothing': [
    { ownerReferences: [{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'shop' }] },
    [],
  ],
  'the labels of a Kustomization': [
    {
      labels: {
        'kustomize.toolkit.fluxcd.io/name': 'apps',
        'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
      },
    },
    ['Flux: Kustomization flux-system/apps'],
  ],
  'a HelmRelease of Flux, whose chart carries marks of Helm': [
    {
      labels: {
        'helm.toolkit.fluxcd.io/name': 'shop',
        'helm.toolkit.fluxcd.io/namespace': 'shop',
        'app.kubernetes.io/managed-by': 'Helm',
      },
      annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'shop' },
    },
    ['Flux: HelmRelease shop/shop'],
  ],
  'a manager of Flux alone': [{ managedFields: writes('kustomize-controller', {}) }, ['Flux']],
  'a release of Helm': [
    { annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'ops' } },
    ['Helm: Helm release ops/shop'],
  ],
  'the label of Helm alone': [{ labels: { 'app.kubernetes.io/managed-by': 'Helm' } }, ['Helm']],
  'a chart that Argo CD renders': [
    { labels: { 'app.kubernetes.io/managed-by': 'Helm', 'argocd.argoproj.io/instance': 'shop' } },
    ['Argo CD: Application ?/shop'],
  ],
  'a mark that holds no name': [
    { annotations: { 'argocd.argoproj.io/tracking-id': '../../secrets/x:apps' } },
    ['Argo CD'],
  ],
};

describe('what shows that an object is declared elsewhere', () => {
  for (const [sentence, [metadata, expected]] of Object.entries(CASES))
    it(sentence, () => assert.deepEqual(owners(metadata), expected));

  it('a manager that writes the field itself is named with it', () => {
    const managedFields = writes('argocd-controller', { 'f:spec': { 'f:template': { 'f:spec': {} } } });
    assert.match(marks({ managedFields })[0]?.shownBy ?? '', /`argocd-controller`, which writes `spec.template`/);
    assert.doesNotMatch(marks({ managedFields }, REPLICAS)[0]?.shownBy ?? '', /which writes/);
  });

  it('whatever an object holds, its marks name nothing that is no name', () => {
    const text = fc.oneof(fc.string(), fc.constant('argocd-controller'), fc.constant('a_b'), fc.constant('__proto__'));
    const metadata = fc.record({
      labels: fc.dictionary(fc.constantFrom('argocd.argoproj.io/instance', 'helm.toolkit.fluxcd.io/name', 'x'), text),
      managedFields: fc.array(fc.record({ manager: text, fieldsV1: fc.anything() })),
      ownerReferences: fc.anything(),
    });
    fc.assert(
      fc.property(metadata, (each) => {
        for (const { owner } of marks(each)) assert.ok(owner === undefined || /^[a-z0-9.-]{1,253}$/.test(owner.name));
      }),
    );
  });
});
