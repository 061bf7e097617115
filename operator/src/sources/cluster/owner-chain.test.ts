import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OwnerFact } from '@hephaisto/core/facts/facts';
import { verifies } from '@hephaisto/test/verifies';
import { chainOf, type MiddleOwners } from './owner-chain.ts';

function owner(kind: string, name: string): OwnerFact {
  return {
    apiVersion: kind === 'Job' || kind === 'CronJob' ? 'batch/v1' : 'apps/v1',
    kind,
    name,
    uid: name,
    controller: true,
  };
}

const NOTHING_SEEN: MiddleOwners = () => undefined;

describe('the owner of a pod', () => {
  const CASES: Readonly<
    Record<string, { controller: OwnerFact | undefined; middle?: OwnerFact; hash?: string; owner: string }>
  > = {
    'of a Deployment is the Deployment': {
      controller: owner('ReplicaSet', 'web-5d9'),
      middle: owner('Deployment', 'web'),
      owner: 'Deployment/web',
    },
    'of a Deployment whose ReplicaSet was not seen yet is the Deployment, by name': {
      controller: owner('ReplicaSet', 'web-5d9'),
      hash: '5d9',
      owner: 'Deployment/web',
    },
    'of a StatefulSet is the StatefulSet': { controller: owner('StatefulSet', 'db'), owner: 'StatefulSet/db' },
    'of a DaemonSet is the DaemonSet': { controller: owner('DaemonSet', 'agent'), owner: 'DaemonSet/agent' },
    'of a run of a CronJob is the CronJob': {
      controller: owner('Job', 'nightly-29394720'),
      owner: 'CronJob/nightly',
    },
    'of a Job that nothing made is the Job': { controller: owner('Job', 'once'), owner: 'Job/once' },
    'that nothing made is itself': { controller: undefined, owner: 'Pod/p-0' },
  };
  for (const [name, { controller, middle, hash, owner: expected }] of Object.entries(CASES)) {
    it(name, () => {
      verifies('H3-32');
      const seen: MiddleOwners =
        middle === undefined
          ? NOTHING_SEEN
          : (uid) => ({ namespace: 'shop', uid, name: controller?.name ?? '', controller: middle });
      const { owner: found, chain } = chainOf({ kind: 'Pod', name: 'p-0', templateHash: hash }, controller, seen);
      assert.equal(`${found.kind}/${found.name}`, expected);
      assert.equal(chain.at(-1), expected);
    });
  }
});
