import type { RightProbe } from '@hephaisto/core/action/rbac-matrix';
import { type Raw, recordAt, recordsAt, textsAt } from '@hephaisto/core/facts/raw';
import type { KubeRead } from '@hephaisto/core/ports/kube';
import { type AskAccess, createAccessReview } from './access-review.ts';
import type { KubeConnection } from './connection.ts';

interface HeldRules {
  readonly rules: readonly Raw[];
  /** The server could not list all of them: a rule that is not among them may still be held. */
  readonly incomplete: boolean;
}

/**
 * Answers what we may do in a namespace from one SelfSubjectRulesReview of it. Single questions remain for all namespaces at once, which no rules
 * review covers, and for what an incomplete list leaves open. Never throws.
 */
export function createRulesReview(connection: Pick<KubeConnection, 'request'>): AskAccess {
  const askOne = createAccessReview(connection);
  const known = new Map<string, Promise<KubeRead<HeldRules>>>();

  function rulesOf(namespace: string): Promise<KubeRead<HeldRules>> {
    const found = known.get(namespace);
    if (found !== undefined) return found;
    const asked = readRules(connection, namespace);
    known.set(namespace, asked);
    return asked;
  }

  return async (probe) => {
    if (probe.namespace === '') return askOne(probe);
    const held = await rulesOf(probe.namespace);
    if (held.kind === 'failure') return askOne(probe);
    if (held.value.rules.some((rule) => grants(rule, probe))) return { kind: 'answered', allowed: true };
    return held.value.incomplete ? askOne(probe) : { kind: 'answered', allowed: false };
  };
}

async function readRules(connection: Pick<KubeConnection, 'request'>, namespace: string): Promise<KubeRead<HeldRules>> {
  const answer = await connection.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace },
    }),
  });
  if (answer.kind === 'failure') return answer;
  try {
    const status = recordAt(JSON.parse(answer.value.text), 'status');
    if (Array.isArray(status.resourceRules))
      // Anything but a plain `false` leaves open whether there are more.
      return {
        kind: 'ok',
        value: { rules: recordsAt(status, 'resourceRules'), incomplete: status.incomplete !== false },
      };
  } catch {
    // An answer that cannot be read is none.
  }
  return { kind: 'failure', reason: 'malformed', message: 'expected `status.resourceRules`, found none' };
}

/** As the RBAC authorizer matches. A rule for named objects grants nothing on all objects, which is what is asked. */
function grants(rule: Raw, { group, resource, verb }: RightProbe): boolean {
  if (textsAt(rule, 'resourceNames').length > 0) return false;
  const subresource = resource.split('/')[1];
  const resources = textsAt(rule, 'resources');
  return (
    includesOrAll(textsAt(rule, 'verbs'), verb) &&
    includesOrAll(textsAt(rule, 'apiGroups'), group) &&
    (includesOrAll(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`)))
  );
}

function includesOrAll(given: readonly string[], wanted: string): boolean {
  return given.includes('*') || given.includes(wanted);
}
