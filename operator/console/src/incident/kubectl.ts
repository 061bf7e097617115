/** A recorded read, as much as its command depends on. */
interface Read {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a person would type to read the same; undefined for a read that no single command repeats. */
export function kubectlFor({ tool, args }: Read): string | undefined {
  const word = (name: string): string => quoted(args[name]);
  const inNamespace = args.namespace === undefined ? '' : ` -n ${word('namespace')}`;
  const object = `${kindWord(args.kind)} ${word('name')}${inNamespace}`;
  switch (tool) {
    case 'get_workload':
      return `kubectl get ${object} -o yaml`;
    case 'list_workloads':
      return `kubectl get ${kindWord(args.kind)}${inNamespace} -o wide`;
    case 'get_pods':
      return `kubectl get pods${inNamespace}${selectorOf(args.selector)} -o wide`;
    case 'get_pod':
      return `kubectl get pod ${word('name')}${inNamespace} -o yaml`;
    case 'get_rollout_history':
      return `kubectl rollout history ${object}`;
    case 'get_events':
      return `kubectl events${inNamespace}`;
    case 'get_logs':
      return `kubectl logs ${word('pod')}${inNamespace} -c ${word('container')} --tail=5000${args.previous === true ? ' --previous' : ''}`;
    case 'get_nodes':
      return 'kubectl describe nodes';
    case 'get_config_references':
      return `kubectl get ${object} -o yaml`;
    case 'get_services':
      return `kubectl get services,endpointslices${inNamespace}`;
    case 'get_job':
      return `kubectl get job ${word('name')}${inNamespace} -o yaml`;
    case 'get_quota':
      return `kubectl describe resourcequotas,limitranges${inNamespace}`;
    default:
      return undefined;
  }
}

/** The query of a read of metrics, as one would type it into Prometheus; undefined for any other read. */
export function promqlFor({ tool, args }: Read): string | undefined {
  const isMetrics = tool === 'query_metrics' || tool === 'query_metrics_range';
  return isMetrics && typeof args.query === 'string' ? args.query : undefined;
}

function kindWord(kind: unknown): string {
  return typeof kind === 'string' ? quoted(kind.toLowerCase()) : 'all';
}

function selectorOf(selector: unknown): string {
  if (typeof selector !== 'object' || selector === null) return '';
  const pairs = Object.entries(selector).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.length === 0 ? '' : ` -l ${quoted(pairs.join(','))}`;
}

/** Anything but the plain characters of names is quoted: a name from a cluster must not become another command in somebody's shell. */
function quoted(value: unknown): string {
  const text = String(value ?? '');
  return /^[A-Za-z0-9][A-Za-z0-9._=,/-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const TOOL_WORDS: Readonly<Record<string, string>> = {
  get_workload: 'workload',
  list_workloads: 'workloads',
  get_pods: 'pods',
  get_pod: 'pod',
  get_rollout_history: 'revisions',
  get_events: 'events',
  get_logs: 'log',
  get_nodes: 'nodes',
  get_config_references: 'configuration',
  get_services: 'services',
  get_job: 'job',
  get_quota: 'quota',
  get_alerts: 'alerts',
  get_silences: 'silences',
  get_recent_changes: 'changes',
  query_metrics: 'metrics',
  query_metrics_range: 'metrics over time',
};

/** A short word for what was read. */
export function toolWord(tool: string): string {
  return TOOL_WORDS[tool] ?? tool.replaceAll('_', ' ');
}
