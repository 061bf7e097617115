import { rbacManifests } from '@hephaisto/core/action/rbac';
import type { Config } from '@hephaisto/core/config/schema';
import { isProtectedNamespace } from '@hephaisto/policy/namespaces';
import { type PolicyFile, ruleFor } from '@hephaisto/policy/policy-file';
import { stringify } from 'yaml';
import { loadPolicy, PolicyRefused } from '../../wiring/policy.ts';
import { CommandFailed, EXIT, type ExitCode } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import { inert } from '../output.ts';
import type { Terminal } from '../terminal.ts';

export interface RbacOptions {
  readonly serviceAccount: string;
  /** Namespaces for which a pattern of the policy stands; those that it names outright need no mention. */
  readonly namespace: readonly string[];
}

/** Prints every object that gives the operator exactly the rights it needs, as YAML for `kubectl apply -f -`. Asks no cluster. */
export async function printRbac(
  terminal: Terminal,
  configFile: string | undefined,
  options: RbacOptions,
): Promise<ExitCode> {
  const config = await loadConfig(configFile, terminal.env);
  const policy = await policyOf(config);
  for (const { match, kinds } of policy.namespaces)
    if (match.endsWith('*') && kinds.length > 0)
      terminal.talk(
        `${inert(`the policy's ${match} names no single namespace: add --namespace NAME for each that it means`)}\n`,
      );
  const { namespace, name: configMap } = config.acting.configMap;
  const identity = {
    serviceAccount: options.serviceAccount,
    namespace,
    configMap,
    reviewsTokens: config.auth.tokenReview.adminGroup !== undefined,
  };
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: options.serviceAccount, namespace } },
    ...rbacManifests(identity, actionable(policy, config, options.namespace)),
  ];
  terminal.out(objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n'));
  return EXIT.done;
}

async function policyOf(config: Config): Promise<PolicyFile> {
  try {
    return (await loadPolicy(config.acting.policyFile, undefined)).current().policy;
  } catch (error: unknown) {
    if (error instanceof PolicyRefused) throw new CommandFailed(EXIT.usage, error.message, error);
    throw error;
  }
}

function actionable(policy: PolicyFile, config: Config, named: readonly string[]) {
  const outright = policy.namespaces.map(({ match }) => match).filter((match) => !match.endsWith('*'));
  return [...new Set([...outright, ...named])]
    .filter((namespace) => !isProtectedNamespace(namespace, [...config.ingest.ownNamespaces, ...policy.selfNamespaces]))
    .map((namespace) => ({ namespace, kinds: ruleFor(policy, namespace)?.kinds ?? [] }));
}
