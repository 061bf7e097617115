import { type PolicyRule, READ_RULES, TOKEN_REVIEW_RULE } from '@hephaisto/core/action/rbac';
import { makesFirstAdmin } from '@hephaisto/core/config/contradictions';
import type { Config } from '@hephaisto/core/config/schema';
import { createAccessReview } from '../../adapters/kube/access-review.ts';
import { createConfigMapSource } from '../../adapters/kube/config-map-source.ts';
import type { KubeConnection } from '../../adapters/kube/connection.ts';
import { judgeRights, type RbacReport } from '../../boot/rbac-self-check.ts';
import { askRights } from '../../wiring/boot-check.ts';
import { connectCluster, readClusterId } from '../../wiring/cluster.ts';
import { loadPolicy } from '../../wiring/policy.ts';
import { type DoctorFinding, found, missing, off } from './finding.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

const APPLY = 'apply what `hephaisto rbac --config FILE` prints, as an administrator: … | kubectl apply -f -';

/** What cannot be seen without reading a resource; others are named by themselves. */
const LOST: Readonly<Record<string, string>> = {
  pods: 'crashes, image errors and unready pods are not seen',
  'pods/log': 'causes that only a log names are not found',
  events: 'warnings, and missing Secrets and keys, are not seen',
  nodes: 'node failures are not seen',
  deployments: 'rollouts are not seen, and nothing can be rolled back',
  statefulsets: 'rollouts of StatefulSets are not seen, so a crash during one counts at once',
  daemonsets: 'rollouts of DaemonSets are not seen, so a crash during one counts at once',
  replicasets: 'revisions are not known, so no rollout is found as a cause',
  jobs: 'failed jobs are not seen',
  services: 'causes in another service are not found',
  endpointslices: 'a service without ready endpoints is not seen',
};

/** Looks at the cluster and at each thing we want to read in it. Never throws. */
export async function checkCluster(config: Config): Promise<readonly DoctorFinding[]> {
  let connection: KubeConnection;
  let id: string;
  try {
    connection = await connectCluster(config.kubernetes, undefined, SILENT);
    id = await readClusterId(connection);
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    return [
      missing(
        'cluster',
        message,
        'nothing is watched, investigated or repaired',
        /forbidden/i.test(message)
          ? `the cluster answers, and the account has no rights: ${APPLY}`
          : 'set kubernetes.access and, for a file, kubernetes.kubeconfig to one that exists and reaches the cluster',
      ),
    ];
  }
  try {
    const reads = await checkReads(connection);
    const writes = await checkWrites(connection, config);
    const admin = await checkFirstAdmin(connection, config);
    const switches = await checkSwitches(connection, config.acting.configMap);
    return [found('cluster', `${connection.server} is cluster ${id}`), ...reads, ...writes, switches, admin];
  } finally {
    connection.close();
  }
}

/** How the first admin comes in: by the link that is printed on loopback, elsewhere by a token that the cluster vouches for. */
export async function checkFirstAdmin(
  connection: Pick<KubeConnection, 'request'>,
  config: Pick<Config, 'server' | 'auth'>,
): Promise<DoctorFinding> {
  const name = 'first-admin';
  const group = config.auth.tokenReview.adminGroup;
  if (group === undefined) {
    if (makesFirstAdmin(config)) return found(name, 'a one-time link is printed at start');
    return off(name, 'no way in is configured', 'nobody can become the first admin', 'set auth.tokenReview.adminGroup');
  }
  if (await mayWe(connection, TOKEN_REVIEW))
    return found(name, `members of ${group} are admins by their cluster’s token`);
  return missing(
    name,
    'may not create tokenreviews.authentication.k8s.io',
    `members of ${group} cannot come in`,
    `add to a ClusterRole: ${ruleText(TOKEN_REVIEW_RULE)}`,
  );
}

const TOKEN_REVIEW = { group: 'authentication.k8s.io', resource: 'tokenreviews', verb: 'create' };

/** A rule as YAML in one line. */
function ruleText(rule: PolicyRule): string {
  const list = (values: readonly string[]): string => `[${values.map((value) => `"${value}"`).join(', ')}]`;
  return `{apiGroups: ${list(rule.apiGroups)}, resources: ${list(rule.resources)}, verbs: ${list(rule.verbs)}}`;
}

/** What we may change, against what the policy enables: too little costs a capability, too much stops the start. */
async function checkWrites(connection: KubeConnection, config: Config): Promise<readonly DoctorFinding[]> {
  try {
    const { policy } = (await loadPolicy(config.acting.policyFile, undefined)).current();
    const report = await askRights(connection, policy, config.ingest.ownNamespaces);
    return [...judged(report), ...(await checkEvents(connection, report))];
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    return [
      missing(
        'write-rights',
        message,
        'it is not known what we may change',
        /forbidden/i.test(message) ? APPLY : 'mend the policy or the access to the cluster',
      ),
    ];
  }
}

/** Whether actions can be mirrored as Events wherever something is enabled. */
async function checkEvents(
  connection: Pick<KubeConnection, 'request'>,
  { matrix }: RbacReport,
): Promise<readonly DoctorFinding[]> {
  const namespaces = [...new Set(matrix.filter(({ needed }) => needed).map(({ probe }) => probe.namespace))];
  const denied: DoctorFinding[] = [];
  for (const namespace of namespaces) {
    if (await mayWe(connection, { namespace, group: 'events.k8s.io', resource: 'events', verb: 'create' })) continue;
    denied.push(
      missing(
        'create-events',
        `may not create events.events.k8s.io in namespace ${namespace}`,
        'actions are not mirrored as Events of their targets',
        'add to the Role of the namespace: {apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"]}',
      ),
    );
  }
  return denied;
}

/** Whether the ConfigMap of switches is there and may be read: without it nothing above `observe` is ever in force. */
export async function checkSwitches(
  connection: KubeConnection,
  configMap: Config['acting']['configMap'],
): Promise<DoctorFinding> {
  const { namespace, name } = configMap;
  const lost = 'the mode is at most observe, whatever else says';
  const read = await createConfigMapSource(connection, configMap).read();
  if (read.kind === 'failure')
    return missing('switches', `may not read the ConfigMap ${namespace}/${name}: ${read.message}`, lost, APPLY);
  if (read.value.kind === 'missing')
    return missing(
      'switches',
      `the ConfigMap ${namespace}/${name} does not exist`,
      lost,
      `kubectl -n ${namespace} create configmap ${name} --from-literal=mode=observe`,
    );
  const mode = read.value.data.agent_mode ?? read.value.data.mode;
  return found(
    'switches',
    `the ConfigMap ${namespace}/${name} allows ${mode ?? 'observe, since it holds no key mode'}`,
  );
}

function judged(report: RbacReport): readonly DoctorFinding[] {
  const verdict = judgeRights(report);
  const excess =
    verdict.kind === 'fits'
      ? []
      : [
          missing(
            'write-rights',
            verdict.message,
            'the operator does not start',
            'take the rights from the service account',
          ),
        ];
  const lacking = report.missing.map(({ message, lost, rule }) =>
    missing('write-rights', message, lost, `add to the Role of the namespace: ${rule}`),
  );
  const both = [...excess, ...lacking];
  return both.length > 0 ? both : [found('write-rights', 'exactly what the policy needs')];
}

/** Every right to read that watching and diagnosis want, asked one by one; one finding a resource that lacks some. */
export async function checkReads(connection: Pick<KubeConnection, 'request'>): Promise<readonly DoctorFinding[]> {
  const wanted = READ_RULES.flatMap((rule) =>
    rule.resources.flatMap((resource) =>
      rule.apiGroups.flatMap((group) => rule.verbs.map((verb) => ({ group, resource, verb }))),
    ),
  );
  const denied: typeof wanted = [];
  for (const each of wanted) if (!(await mayWe(connection, each))) denied.push(each);
  const resources = [...new Set(denied.map((each) => `${each.group}\n${each.resource}`))];
  if (resources.length === 0) return [found('read-rights', `${wanted.length} rights held`)];
  return resources.map((key) => {
    const [group = '', resource = ''] = key.split('\n');
    const verbs = denied.filter((each) => each.group === group && each.resource === resource).map((each) => each.verb);
    return missing(
      `read-${named(group, resource)}`,
      `may not ${verbs.join(', ')} ${resource}${group === '' ? '' : `.${group}`}`,
      LOST[resource] ?? `${resource} are not seen`,
      `add to the ClusterRole: ${ruleText({ apiGroups: [group], resources: [resource], verbs })}`,
    );
  });
}

/** Two groups have events; the group tells them apart. */
function named(group: string, resource: string): string {
  return group === 'events.k8s.io' ? `${resource}.${group}` : resource;
}

/** A question without an answer counts as no: what cannot be asked cannot be relied on. */
async function mayWe(
  connection: Pick<KubeConnection, 'request'>,
  wanted: {
    readonly namespace?: string;
    readonly group: string;
    readonly resource: string;
    readonly verb: string;
  },
): Promise<boolean> {
  const answer = await createAccessReview(connection)({ namespace: '', ...wanted });
  return answer.kind === 'answered' && answer.allowed;
}
