import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GateResult } from '@hephaisto/policy/gate';
import { drain } from '@hephaisto/test/stage-deps';
import { readGitOpsOwners } from './gitops-owners.ts';
import { FakeCluster } from './testing/fake-cluster.ts';
import { worlds } from './testing/fresh-world.ts';
import { PATCH, RESTART, type World } from './testing/world.ts';

const APPLICATION = {
  spec: {
    source: { repoURL: 'https://git.example/shop.git', targetRevision: 'main', path: 'apps/shop' },
    syncPolicy: { automated: { selfHeal: true } },
  },
};

function track(cluster: FakeCluster, annotations: Record<string, string>, labels: Record<string, string> = {}): void {
  cluster.edit('deployments', 'checkout', (object) =>
    Object.assign(object.metadata as object, { annotations, labels }),
  );
}

const TRACKED = { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/checkout' };

function putApplication(cluster: FakeCluster, object: Record<string, unknown> = APPLICATION): void {
  cluster.put('applications', 'argocd', 'shop', { metadata: { namespace: 'argocd', name: 'shop' }, ...object });
}

async function gates(w: World, actionId: string): Promise<readonly GateResult[]> {
  const [row] = await w.db.query<{ gates: readonly GateResult[] }>('SELECT gates FROM proposals WHERE action_id = $1', [
    actionId,
  ]);
  return row?.gates ?? [];
}

describe('an object that a repository declares', () => {
  const suite = worlds();

  it('is not changed while its tool heals by itself, and the source is named', async () => {
    const w = await suite.world();
    track(w.cluster, TRACKED);
    putApplication(w.cluster);
    const { incidentId, actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    const { state, decision_reasons: reasons } = await w.action(actionId);
    assert.deepEqual([state, reasons, w.cluster.sent.length], ['Denied', ['gitops_owned', 'gitops_self_heal'], 0]);
    const [event] = await w.db.query<{ data: { gates: readonly GateResult[] } }>(
      `SELECT data FROM incident_events WHERE incident_id = $1 AND edge = 'I6'`,
      [incidentId],
    );
    assert.match(
      event?.data.gates.find(({ gate }) => gate === 'GitOpsSelfHeal')?.message ?? '',
      /change it at the source: repository `https:\/\/git\.example\/shop\.git`, revision `main`, path `apps\/shop`/,
    );
  });

  it('needs a person where self-heal is off or not known, also in mode auto, and the proposal warns', async () => {
    for (const [application, message] of [
      [{ spec: {} }, /Argo CD Application `shop` declares the object, as annotation `argocd/],
      [undefined, /self-heal is on is not known, because Application `shop` could not be read: not-found in namespace/],
    ] as const) {
      const w = await suite.world();
      track(w.cluster, TRACKED);
      if (application !== undefined) putApplication(w.cluster, application);
      const { actionId } = await w.propose(PATCH);
      await drain(w.stages().admit);
      assert.equal((await w.action(actionId)).state, 'AwaitingApproval');
      const asking = (await gates(w, actionId)).filter(({ verdict }) => verdict === 'ask');
      assert.deepEqual(
        asking.map(({ gate }) => gate),
        ['GitOpsOwner'],
      );
      assert.match(asking[0]?.message ?? '', message);
    }
  });

  it('may have its pods restarted, which no repository declares', async () => {
    const w = await suite.world();
    track(w.cluster, TRACKED);
    putApplication(w.cluster);
    const { actionId } = await w.propose(RESTART);
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'Admitted');
  });

  it('makes an open proposal void when its tool begins to heal by itself and the object is compared again', async () => {
    const w = await suite.world();
    const { actionId } = await w.propose(PATCH);
    await w.db.execute(`UPDATE switches SET value = 'approve' WHERE name = 'agent_mode'`);
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'AwaitingApproval');
    track(w.cluster, TRACKED);
    putApplication(w.cluster);
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'Withdrawn');
  });

  it('makes an open proposal void when self-heal is switched on at the tool and the object itself is not changed', async () => {
    const w = await suite.world({ mode: 'approve' });
    track(w.cluster, TRACKED);
    const syncPolicy = { automated: { selfHeal: false } };
    putApplication(w.cluster, { spec: { ...APPLICATION.spec, syncPolicy } });
    const { actionId } = await w.propose(PATCH);
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'AwaitingApproval');
    putApplication(w.cluster);
    await drain(w.stages().admit);
    assert.equal((await w.action(actionId)).state, 'Withdrawn');
  });
});

describe('reading the objects of delivery tools', () => {
  const FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };

  async function ownersOf(cluster: FakeCluster) {
    const read = await cluster.object('apps/v1', 'deployments', 'shop', 'checkout');
    return await readGitOpsOwners(cluster, PATCH, read.kind === 'ok' ? [read.value] : []);
  }

  it('takes the address of a Flux source from its own object, and names the object where that cannot be read', async () => {
    const cluster = new FakeCluster();
    track(cluster, {}, FLUX);
    const spec = { path: './apps', sourceRef: { kind: 'GitRepository', name: 'fleet' } };
    cluster.put('kustomizations', 'flux-system', 'apps', { metadata: {}, spec });
    assert.deepEqual((await ownersOf(cluster))[0]?.source, { repository: 'GitRepository fleet', path: './apps' });
    cluster.put('gitrepositories', 'flux-system', 'fleet', {
      metadata: {},
      spec: { url: 'https://git.example/fleet' },
    });
    const [owner] = await ownersOf(cluster);
    assert.deepEqual(
      [owner?.name, owner?.selfHeal, owner?.source?.repository],
      ['Kustomization `flux-system/apps`', 'on', 'https://git.example/fleet'],
    );
  });

  it('reads nothing for an object without marks, and asks a silent server no further than the marks lead', async () => {
    const cluster = new FakeCluster();
    assert.deepEqual(await ownersOf(cluster), []);
    track(cluster, {}, FLUX);
    const read = await cluster.object('apps/v1', 'deployments', 'shop', 'checkout');
    cluster.readFailure = { kind: 'failure', reason: 'forbidden', message: 'no' };
    const [owner] = await readGitOpsOwners(cluster, PATCH, read.kind === 'ok' ? [read.value] : []);
    assert.deepEqual(
      [owner?.selfHeal, owner?.unread],
      ['unknown', 'Kustomization `flux-system/apps` could not be read: forbidden'],
    );
  });
});
