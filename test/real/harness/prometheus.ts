import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULE_TEXTS } from '../../../operator/src/demo/alertmanager/rule-text.ts';
import type { AlertSource, RuleName } from '../../../operator/src/demo/stories/alert-source.ts';
import type { World } from '../../world/world.ts';

type RuleSource = AlertSource & { readonly kind: 'rule' };

/** Rules that the exporter has metrics for. A look-back must span several scrapes of a second. */
const EXPRESSIONS: Readonly<Partial<Record<RuleName, (namespace: string) => string>>> = {
  KubePodCrashLooping: (namespace) =>
    `max_over_time(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff",namespace="${namespace}"}[5s]) >= 1`,
  KubeContainerWaiting: (namespace) =>
    `max_over_time(kube_pod_container_status_waiting_reason{reason!~"CrashLoopBackOff|ContainerCreating",namespace="${namespace}"}[3s]) > 0`,
  KubeDeploymentReplicasMismatch: (namespace) =>
    `kube_deployment_spec_replicas{namespace="${namespace}"} > kube_deployment_status_replicas_available{namespace="${namespace}"}`,
};

/** Whether Prometheus can evaluate every alert of a story by itself. */
export function hasRulesFor(sources: readonly AlertSource[]): boolean {
  return sources.every((source) => source.kind === 'rule' && EXPRESSIONS[source.rule] !== undefined);
}

/** Has the world's Prometheus scrape the exporter and evaluate these rules over the namespaces, telling the world's Alertmanager. */
export async function configurePrometheus(
  world: World,
  target: string,
  stories: readonly { readonly namespace: string; readonly sources: readonly AlertSource[] }[],
  speed: number,
): Promise<void> {
  const { prometheus, alertmanager } = world;
  if (!prometheus || !alertmanager)
    throw new Error('expected a world with Prometheus; this is a bug in the test runner');
  const rulesFile = join(world.folder, 'rules.yml');
  const groups = stories.map(({ namespace, sources }) => ({
    name: namespace,
    rules: sources
      .filter((source): source is RuleSource => source.kind === 'rule')
      .map((source) => alertingRule(source, namespace, speed)),
  }));
  writeFileSync(rulesFile, JSON.stringify({ groups }));
  await prometheus.configure(
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s', external_labels: { prometheus: 'monitoring/k8s' } },
      rule_files: [rulesFile],
      scrape_configs: [{ job_name: 'kube-state-metrics', honor_labels: true, static_configs: [{ targets: [target] }] }],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager.url).host] }] }] },
    }),
  );
}

function alertingRule(source: RuleSource, namespace: string, speed: number): object {
  const text = RULE_TEXTS[source.rule];
  const expression = EXPRESSIONS[source.rule];
  if (expression === undefined) throw new Error(`expected an expression for ${source.rule}, found none`);
  return {
    alert: source.rule,
    expr: expression(namespace),
    for: `${Math.max(1, Math.round(source.forSeconds / speed))}s`,
    labels: { severity: 'warning' },
    annotations: {
      summary: text.summary,
      description: text.description.replaceAll(/\{([a-z_]+)\}/g, '{{ $labels.$1 }}'),
    },
  };
}
