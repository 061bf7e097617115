import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PolicyRule, rbacManifests } from '@hephaisto/core/action/rbac';
import type { RightProbe } from '@hephaisto/core/action/rbac-matrix';
import { ACTION_TYPES } from '@hephaisto/core/action/types';
import { type PolicyFile, parsePolicy } from '@hephaisto/policy/policy-file';
import { verifies } from '@hephaisto/test/verifies';
import type { AskAccess } from '../adapters/kube/access-review.ts';
import { checkRights, judgeRights, matrixLines } from './rbac-self-check.ts';

const NAMESPACES = ['kube-system', 'default', 'hephaisto', 'shop'];
const IDENTITY = { serviceAccount: 'hephaisto', namespace: 'hephaisto', configMap: 'switches', reviewsTokens: true };

function policyOf(kinds: readonly string[]): PolicyFile {
  const parsed = parsePolicy({ version: 1, namespaces: [{ match: 'shop', kinds }] });
  return parsed.kind === 'policy' ? parsed.policy : assert.fail();
}

/** An authorizer over the very rules that the generator makes, with more granted on top. */
function authorizer(kinds: readonly (typeof ACTION_TYPES)[number][], extra: readonly RightProbe[] = []): AskAccess {
  const roles = rbacManifests(IDENTITY, [{ namespace: 'shop', kinds }]).filter((object) => object.rules !== undefined);
  return (probe) => {
    const byRole = roles.some((role) => {
      const { namespace } = role.metadata as { namespace?: string };
      if (namespace !== undefined && namespace !== probe.namespace) return false;
      return (role.rules as readonly PolicyRule[]).some(
        (rule) =>
          rule.apiGroups.includes(probe.group) &&
          rule.resources.includes(probe.resource) &&
          rule.verbs.includes(probe.verb) &&
          rule.resourceNames === undefined,
      );
    });
    const more = extra.some(
      (each) =>
        each.group === probe.group &&
        each.resource === probe.resource &&
        each.verb === probe.verb &&
        (each.namespace === '' || each.namespace === probe.namespace),
    );
    return Promise.resolve({ kind: 'answered', allowed: byRole || more });
  };
}

describe('the rights of the process at boot', () => {
  it('the generated Roles fit exactly, kind by kind', async () => {
    verifies('H3-14', 'H3-52', 'H3-79');
    for (const kinds of [[], ...ACTION_TYPES.map((type) => [type]), [...ACTION_TYPES]]) {
      const report = await checkRights(authorizer(kinds), NAMESPACES, policyOf(kinds), ['hephaisto']);
      assert.deepEqual([judgeRights(report).kind, report.missing.length], ['fits', 0], kinds.join());
    }
  });

  it('anything more refuses, with the verb and the place printed', async () => {
    verifies('H3-52', 'H3-75');
    const cases: readonly RightProbe[] = [
      { namespace: '', group: '', resource: 'secrets', verb: 'get' },
      { namespace: 'default', group: '', resource: 'secrets', verb: 'list' },
      { namespace: '', group: 'batch', resource: 'jobs', verb: 'create' },
      { namespace: 'kube-system', group: 'batch', resource: 'jobs', verb: 'create' },
      { namespace: 'shop', group: 'batch', resource: 'jobs', verb: 'create' },
      { namespace: 'default', group: '', resource: 'pods', verb: 'create' },
      { namespace: '', group: '', resource: 'pods/exec', verb: 'create' },
      { namespace: '', group: '', resource: 'users', verb: 'impersonate' },
      { namespace: '', group: 'rbac.authorization.k8s.io', resource: 'clusterroles', verb: 'escalate' },
      { namespace: '', group: 'apps', resource: 'deployments', verb: 'patch' },
      { namespace: 'default', group: 'apps', resource: 'deployments', verb: 'patch' },
      { namespace: '', group: '*', resource: '*', verb: '*' },
    ];
    for (const extra of cases) {
      const report = await checkRights(authorizer(['RestartPod'], [extra]), NAMESPACES, policyOf(['RestartPod']), [
        'hephaisto',
      ]);
      const verdict = judgeRights(report);
      assert.equal(verdict.kind === 'refused' && verdict.reason, 'over-privileged', JSON.stringify(extra));
      assert.ok(
        verdict.kind === 'refused' && verdict.message.includes(`${extra.verb} ${extra.resource}`),
        JSON.stringify(extra),
      );
    }
  });

  it('a Role for more kinds than are enabled refuses too', async () => {
    const report = await checkRights(authorizer([...ACTION_TYPES]), NAMESPACES, policyOf(['RestartPod']), [
      'hephaisto',
    ]);
    assert.equal(judgeRights(report).kind, 'refused');
  });

  it('a question without an answer refuses', async () => {
    verifies('H3-52');
    const silent: AskAccess = (probe) =>
      probe.resource === 'secrets' && probe.namespace === 'default'
        ? Promise.resolve({ kind: 'unanswered', message: 'timed out' })
        : authorizer(['RestartPod'])(probe);
    const verdict = judgeRights(await checkRights(silent, NAMESPACES, policyOf(['RestartPod']), ['hephaisto']));
    assert.equal(verdict.kind === 'refused' && verdict.reason, 'unanswerable');
  });

  it('a missing right refuses nothing, and says what is lost and which rule to add', async () => {
    const report = await checkRights(authorizer([]), NAMESPACES, policyOf(['RestartPod']), ['hephaisto']);
    assert.equal(judgeRights(report).kind, 'fits');
    assert.deepEqual(
      report.missing.map(({ lost, rule }) => [lost, rule]),
      [
        [
          'RestartPod cannot be carried out in namespace shop',
          '{apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"]}',
        ],
      ],
    );
    assert.ok(matrixLines(report).includes('missing (needed): create pods/eviction in namespace shop'));
  });
});
