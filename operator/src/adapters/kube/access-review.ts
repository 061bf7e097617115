import type { RightProbe } from '@hephaisto/core/action/rbac-matrix';
import type { KubeConnection } from './connection.ts';

export type AccessAnswer =
  | { readonly kind: 'answered'; readonly allowed: boolean }
  /** The server did not say; whoever asks must not read that as no. */
  | { readonly kind: 'unanswered'; readonly message: string };

export type AskAccess = (probe: RightProbe) => Promise<AccessAnswer>;

/** Asks the API server what we ourselves may do. Never throws. */
export function createAccessReview(connection: Pick<KubeConnection, 'request'>): AskAccess {
  return async ({ namespace, group, resource, verb }) => {
    const [name = '', subresource] = resource.split('/');
    const answer = await connection.request({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: {
            group,
            resource: name,
            verb,
            ...(subresource === undefined ? {} : { subresource }),
            ...(namespace === '' ? {} : { namespace }),
          },
        },
      }),
    });
    if (answer.kind === 'failure') return { kind: 'unanswered', message: answer.message };
    return allowedIn(answer.value.text);
  };
}

function allowedIn(text: string): AccessAnswer {
  try {
    const { status } = JSON.parse(text) as { status?: { allowed?: unknown } };
    if (typeof status?.allowed === 'boolean') return { kind: 'answered', allowed: status.allowed };
  } catch {
    // An answer that cannot be read is none.
  }
  return { kind: 'unanswered', message: 'expected an answer with `status.allowed`, found none' };
}
