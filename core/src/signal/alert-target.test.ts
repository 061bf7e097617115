import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOfAlert, severityOfAlert } from './alert-kinds.ts';
import { DEFAULT_LABEL_MAPPING, guessOwner, targetOfAlert } from './alert-target.ts';

const target = (labels: Record<string, string>) => targetOfAlert(labels, DEFAULT_LABEL_MAPPING);

describe('what an alert is about', () => {
  const CASES: Readonly<
    Record<string, { labels: Record<string, string>; owner: string; namespace?: string; pod?: string }>
  > = {
    'a Deployment is named outright; the pod is the exporter': {
      labels: { namespace: 'shop', deployment: 'web', pod: 'kube-state-metrics-6b-x', job: 'kube-state-metrics' },
      owner: 'Deployment/web',
      namespace: 'shop',
    },
    'the exporter’s namespace is not the object’s': {
      labels: { namespace: 'monitoring', exported_namespace: 'shop', exported_pod: 'web-1', pod: 'exporter-1' },
      owner: '',
      namespace: 'shop',
      pod: 'web-1',
    },
    'a pod is named, its owner must be looked up': {
      labels: { namespace: 'shop', pod: 'web-5d-x' },
      owner: '',
      namespace: 'shop',
      pod: 'web-5d-x',
    },
    'a failed job, not the scrape job': {
      labels: { namespace: 'shop', job_name: 'backup-1', job: 'kube-state-metrics' },
      owner: 'Job/backup-1',
      namespace: 'shop',
    },
    'a CronJob before the Job it made': {
      labels: { namespace: 'shop', cronjob: 'backup', job_name: 'backup-1' },
      owner: 'CronJob/backup',
      namespace: 'shop',
    },
    'a node lives in no namespace': {
      labels: { node: 'n1', namespace: 'monitoring', job: 'kube-state-metrics' },
      owner: 'Node/n1',
    },
    'a target that is down': {
      labels: { job: 'payments', namespace: 'shop' },
      owner: 'Target/payments',
      namespace: 'shop',
    },
    'nothing but a rule': { labels: { alertname: 'X', job: 'kube-state-metrics' }, owner: '' },
  };
  for (const [name, { labels, owner, namespace, pod }] of Object.entries(CASES)) {
    it(name, () => {
      const found = target(labels);
      assert.equal(found.owner === undefined ? '' : `${found.owner.kind}/${found.owner.name}`, owner);
      assert.equal(found.namespace, namespace);
      assert.equal(found.podName, pod);
    });
  }

  const NAMES: Readonly<Record<string, string>> = {
    'web-5d4f8c7b9-x7k2p': 'Deployment/web',
    'my-web-app-5d4f8c7b9-x7k2p': 'Deployment/my-web-app',
    'db-0': 'Pod/db-0',
    lonely: 'Pod/lonely',
  };
  for (const [pod, owner] of Object.entries(NAMES)) {
    it(`the name ${pod} suggests ${owner}`, () => {
      const guess = guessOwner(pod);
      assert.equal(`${guess.owner.kind}/${guess.owner.name}`, owner);
      assert.equal(guess.chain.at(-1), owner);
    });
  }

  it('kinds come from the label before the name, and prototype names are no kinds', () => {
    assert.equal(kindOfAlert({ alertname: 'KubePodCrashLooping', hephaisto_kind: 'OomKilled' }), 'OomKilled');
    assert.equal(kindOfAlert({ alertname: 'KubePodCrashLooping', hephaisto_kind: 'nonsense' }), 'CrashLoopBackOff');
    assert.equal(kindOfAlert({ alertname: 'constructor' }), 'Unknown');
    assert.equal(severityOfAlert({ severity: 'Page' }), 'critical');
    assert.equal(severityOfAlert({ severity: 'toString' }), 'warning');
    for (const word of ['info', ' Info ', 'informational', 'INFORMATION', 'none', 'ok', 'trace'])
      assert.equal(severityOfAlert({ severity: word }), 'info', word);
    for (const labels of [{}, { severity: '' }, { severity: 'average' }])
      assert.equal(severityOfAlert(labels), 'warning');
  });
});
