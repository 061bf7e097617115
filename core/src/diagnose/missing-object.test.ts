import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingObjectText } from '../signal/missing-object.ts';
import { SUBJECT } from './case.fixture.ts';
import { NOTHING_KNOWN } from './known.ts';
import { missingObject } from './missing-object.ts';

for (const kind of ['HorizontalPodAutoscaler', 'PersistentVolumeClaim', 'Ingress'])
  test(`an alert about an object that does not exist leaves a gap that names it: ${kind}`, () => {
    const owner = { kind, name: 'ghost' };
    const signal = { kind: 'HighErrorRate' as const, reason: 'X', source: 'alertmanager' };
    const about = (message: string) => ({ ...SUBJECT, owner, signals: [{ ...signal, message }] });
    const gap = missingObject(about(`${missingObjectText(owner, 'shop')}it is slow`), NOTHING_KNOWN);
    assert.deepEqual(
      [gap?.reason, gap?.message],
      ['not-found', `${owner.kind} ghost did not exist in namespace shop when the alert came`],
    );
    assert.equal(missingObject(about('it is slow'), NOTHING_KNOWN), undefined);
  });
