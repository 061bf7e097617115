import type { Logger } from '@hephaisto/core/ports/telemetry';
import type { PolicyFile } from '@hephaisto/policy/policy-file';
import type { KubeConnection } from '../adapters/kube/connection.ts';
import { createRulesReview } from '../adapters/kube/rules-review.ts';
import { checkRights, judgeRights, matrixLines, type RbacReport } from '../boot/rbac-self-check.ts';
import { ClusterUnreachable } from './cluster.ts';

/** The identity may do more than what is enabled needs, or nobody can tell: the process must not start. */
export class OverPrivileged extends Error {
  readonly tag = 'OverPrivileged';
  constructor(message: string) {
    super(message);
    this.name = 'OverPrivileged';
  }
}

/** Asks the cluster what we may do, in every namespace and across all. */
export async function askRights(
  connection: Pick<KubeConnection, 'server' | 'request'>,
  policy: PolicyFile,
  selfNamespaces: readonly string[],
): Promise<RbacReport> {
  return checkRights(createRulesReview(connection), await listNamespaces(connection), policy, selfNamespaces);
}

/** Throws `OverPrivileged` when a right is held that nothing enabled needs. Rights that are missing are logged and cost what they are for. */
export async function refuseOverPrivilege(
  connection: Pick<KubeConnection, 'server' | 'request'>,
  policy: PolicyFile,
  selfNamespaces: readonly string[],
  log: Logger,
): Promise<void> {
  const report = await askRights(connection, policy, selfNamespaces);
  log.info('rights checked', { matrix: matrixLines(report) });
  const verdict = judgeRights(report);
  if (verdict.kind === 'refused') throw new OverPrivileged(verdict.message);
  for (const { message, lost, rule } of report.missing) log.warn('a right is missing', { right: message, lost, rule });
}

const PAGE = '500';

async function listNamespaces(connection: Pick<KubeConnection, 'server' | 'request'>): Promise<readonly string[]> {
  const names: string[] = [];
  let next: string | undefined;
  do {
    const answer = await connection.request({
      method: 'GET',
      path: '/api/v1/namespaces',
      query: { limit: PAGE, continue: next },
    });
    if (answer.kind === 'failure')
      throw new ClusterUnreachable(
        `expected to list namespaces of ${connection.server}, found ${answer.reason}: ${answer.message}; without them nobody can tell what we may do where`,
      );
    const page = JSON.parse(answer.value.text) as NamespacePage;
    names.push(...(page.items ?? []).flatMap((item) => item.metadata?.name ?? []));
    next = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
  } while (next !== undefined);
  return names;
}

interface NamespacePage {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly { readonly metadata?: { readonly name?: string } }[];
}
