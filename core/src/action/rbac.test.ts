import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import { READ_RULES, rbacManifests, TOKEN_REVIEW_RULE, writeRules } from './rbac.ts';
import { ACTION_TYPES } from './types.ts';

describe('rights', () => {
  it('reads no Secret, grants no wildcard, and writes only by Roles', () => {
    verifies('H3-51');
    const objects = rbacManifests({ serviceAccount: 'hephaisto', namespace: 'hephaisto', configMap: 'switches' }, [
      { namespace: 'shop', kinds: [...ACTION_TYPES] },
      { namespace: 'idle', kinds: [] },
    ]);
    assert.ok(READ_RULES.every((rule) => rule.verbs.every((verb) => ['get', 'list', 'watch'].includes(verb))));
    for (const object of objects) {
      const rules = (object.rules ?? []) as typeof READ_RULES;
      for (const rule of rules) {
        assert.ok(
          !rule.resources.includes('secrets') && ![...rule.resources, ...rule.verbs, ...rule.apiGroups].includes('*'),
        );
        const writes = rule.verbs.some((verb) => !['get', 'list', 'watch'].includes(verb));
        assert.ok(!writes || object.kind === 'Role');
      }
    }
    const namespaces = objects
      .filter((object) => object.kind === 'Role')
      .map((object) => (object.metadata as { namespace: string }).namespace);
    assert.deepEqual(namespaces, ['hephaisto', 'shop']);
  });

  it('asks whose token it is only where a group comes in by it', () => {
    const identity = { serviceAccount: 'hephaisto', namespace: 'hephaisto', configMap: 'switches' };
    const askers = (reviewsTokens: boolean) =>
      rbacManifests({ ...identity, reviewsTokens }, []).filter((object) =>
        ((object.rules ?? []) as typeof READ_RULES).some((rule) => rule.resources.includes('tokenreviews')),
      );
    assert.deepEqual(askers(false), []);
    const [role, ...more] = askers(true);
    assert.deepEqual([role?.kind, role?.rules, more], ['ClusterRole', [TOKEN_REVIEW_RULE], []]);
    const bound = rbacManifests({ ...identity, reviewsTokens: true }, [])
      .filter((object) => object.kind === 'ClusterRoleBinding')
      .map((object) => (object.roleRef as { name: string }).name);
    assert.deepEqual(bound, ['hephaisto-read', 'hephaisto-token-review']);
  });

  it('is this list and no longer one', () => {
    verifies('H3-79');
    const lines = writeRules([...ACTION_TYPES]).map(
      (rule) => `${rule.verbs.join(',')} ${rule.resources.join(',')}.${rule.apiGroups.join(',')}`,
    );
    assert.deepEqual(lines, [
      'delete pods.',
      'create pods/eviction.',
      'patch daemonsets.apps',
      'patch deployments.apps',
      'patch deployments/scale.apps',
      'patch statefulsets.apps',
      'patch statefulsets/scale.apps',
      'delete jobs.batch',
      'create events.events.k8s.io',
    ]);
  });
});
