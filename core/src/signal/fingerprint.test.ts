import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { type FingerprintParts, fingerprintOf, fingerprintText } from './fingerprint.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const CRASH: FingerprintParts = {
  source: 'k8s',
  kind: 'CrashLoopBackOff',
  cluster: 'c1',
  namespace: 'shop',
  owner: { kind: 'Deployment', name: 'checkout' },
  reason: 'CrashLoopBackOff',
};

const GOLDEN: readonly (readonly [FingerprintParts, string])[] = [
  [CRASH, '73d04616240d1f1c9405a74f8f37b38b25219c525f93d0aeb3fb377e2b361309'],
  [
    { ...CRASH, source: 'alertmanager', reason: 'KubePodCrashLooping' },
    '35c304fbc590183a5c004177bc3457a4f2378456e9fcfa34480e210d4ca78e4b',
  ],
  [
    { ...CRASH, namespace: undefined, owner: { kind: 'Node', name: 'n1' }, kind: 'NodePressure', reason: 'NotReady' },
    'acf084373a9bb1b7f78624849e83a5810c5f6a0ca31d86d64a685f79ce6c8f02',
  ],
  [
    { ...CRASH, owner: undefined, kind: 'Unknown', reason: 'QuotaNearlyUsed' },
    'ded7d9724e809d39ff15ce49490ed5d6e431b927c09312d8d32a953ac2b5e650',
  ],
  [
    { ...CRASH, kind: 'JobFailed', owner: { kind: 'CronJob', name: 'backup' }, reason: 'BackoffLimitExceeded' },
    'bb25e2e0cd623188b9bde7c6883d81e96ba455a8c01d771605ec52f57b46a5ba',
  ],
];

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const optional = fc.option(text, { nil: undefined });
const parts: fc.Arbitrary<FingerprintParts> = fc.record({
  source: text,
  kind: text,
  cluster: text,
  namespace: optional,
  owner: fc.option(fc.record({ kind: text, name: text }), { nil: undefined }),
  reason: text,
});

describe('the fingerprint', () => {
  it('is the same for ever: golden vectors', () => {
    verifies('H3-31');
    for (const [input, expected] of GOLDEN) assert.equal(fingerprintOf(input, sha256), expected);
  });

  it('equal texts mean equal parts, whatever characters they hold', () => {
    verifies('H3-31');
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        if (fingerprintText(a) === fingerprintText(b)) assert.deepEqual(a, b);
      }),
    );
  });

  it('moving a character over a border between two parts changes it', () => {
    verifies('H3-31');
    const border = fc.constantFrom('|', '/', '"', ',', '\\', '\u0000', '', 'a');
    fc.assert(
      fc.property(text, border, text, (left, moved, right) => {
        const a = fingerprintText({ ...CRASH, cluster: left + moved, namespace: right });
        const b = fingerprintText({ ...CRASH, cluster: left, namespace: moved + right });
        assert.equal(a === b, moved === '');
      }),
    );
  });

  it('changing any one part changes it', () => {
    verifies('H3-31');
    const changes: readonly Partial<FingerprintParts>[] = [
      { source: 'alertmanager' },
      { kind: 'OomKilled' },
      { cluster: 'c2' },
      { namespace: 'till' },
      { namespace: undefined },
      { namespace: '' },
      { owner: { kind: 'StatefulSet', name: 'checkout' } },
      { owner: { kind: 'Deployment', name: 'basket' } },
      { owner: undefined },
      { reason: 'Error' },
    ];
    const all = [CRASH, ...changes.map((change) => ({ ...CRASH, ...change }))];
    assert.equal(new Set(all.map((each) => fingerprintOf(each, sha256))).size, all.length);
  });
});
