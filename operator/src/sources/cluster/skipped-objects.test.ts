import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ClusterView } from './cluster-view.ts';
import type { Intake } from './feeds.ts';
import { createSkippedObjects } from './skipped-objects.ts';

const NO_VIEW = {} as ClusterView;

it('an object that cannot be read is skipped, and counts as present', () => {
  const errors: unknown[] = [];
  const put: string[] = [];
  const skipped = createSkippedObjects((error) => errors.push(error));
  const intake: Intake<string> = {
    project: (object) => {
      if (object.kind === 'broken') throw new Error('no such field');
      return String(object.kind);
    },
    uid: (item) => item,
    namespace: () => '',
    put: (_view, item) => {
      if (item === 'confusing') throw new Error('not expected');
      put.push(item);
    },
    gone: () => undefined,
    held: () => [],
  };
  const project = skipped.project(intake);
  assert.equal(project({ kind: 'broken', metadata: { uid: 'u-1' } }), undefined);
  assert.equal(project({ kind: 'sound', metadata: { uid: 'u-2' } }), 'sound');
  assert.deepEqual(skipped.take(), ['u-1']);
  assert.deepEqual(skipped.take(), []);
  const guarded = skipped.guard(intake);
  for (const item of ['confusing', 'sound']) guarded.put(NO_VIEW, item);
  assert.deepEqual(put, ['sound']);
  assert.equal(errors.length, 2);
});
