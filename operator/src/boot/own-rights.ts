import type { PolicyFile } from '@hephaisto/policy/policy-file';
import { createAccessReview } from '../adapters/kube/access-review.ts';
import type { KubeConnection } from '../adapters/kube/connection.ts';
import { resourcePath } from '../adapters/kube/resource-path.ts';
import { checkRights, type RbacReport } from './rbac-self-check.ts';

const PAGE = 500;

export type OwnRights =
  | { readonly kind: 'checked'; readonly report: RbacReport }
  /** Without the list of namespaces nobody can say that nothing more is held somewhere. */
  | { readonly kind: 'unanswerable'; readonly message: string };

/** Asks the cluster what this process may do in each of its namespaces and everywhere, and compares it with what the policy needs. */
export async function checkOwnRights(
  connection: KubeConnection,
  policy: PolicyFile,
  selfNamespaces: readonly string[],
): Promise<OwnRights> {
  const namespaces: string[] = [];
  let token: string | undefined;
  do {
    const answer = await connection.request({
      method: 'GET',
      path: resourcePath('v1', 'namespaces', '', ''),
      query: { limit: String(PAGE), continue: token },
    });
    if (answer.kind === 'failure')
      return { kind: 'unanswerable', message: `the namespaces cannot be listed: ${answer.message}` };
    const list = JSON.parse(answer.value.text) as {
      readonly items?: readonly { readonly metadata?: { readonly name?: string } }[];
      readonly metadata?: { readonly continue?: string };
    };
    namespaces.push(...(list.items ?? []).flatMap(({ metadata }) => metadata?.name ?? []));
    token = list.metadata?.continue;
  } while (token !== undefined && token !== '');
  return {
    kind: 'checked',
    report: await checkRights(createAccessReview(connection), namespaces, policy, selfNamespaces),
  };
}
