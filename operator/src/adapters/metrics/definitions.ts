/** One metric: its kind, what it means, and which labels it may carry. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2, 5, 15, 60, 300] as const;
const WAIT_SECONDS = [5, 30, 60, 300, 900, 1800, 3600] as const;

function counter(help: string, ...labels: string[]): MetricDefinition {
  return { kind: 'counter', help, labels };
}
function gauge(help: string, ...labels: string[]): MetricDefinition {
  return { kind: 'gauge', help, labels };
}
function seconds(help: string, buckets: readonly number[], ...labels: string[]): MetricDefinition {
  return { kind: 'histogram', help, labels, buckets };
}

/**
 * Every metric there is, by its name without the prefix. Labels are bounded on purpose: a pod, an incident or a fingerprint as a label
 * would make one series each and take the monitoring down together with what it watches.
 */
export const METRICS: Readonly<Record<string, MetricDefinition>> = {
  alerts_received_total: counter('Alerts taken in, by source and what became of the delivery.', 'source', 'outcome'),
  webhook_request_duration_seconds: seconds('Time to answer a webhook.', SECONDS, 'outcome'),
  signals_total: counter('Signals taken in, by source and kind.', 'source', 'kind'),
  dedup_total: counter('What became of signals.', 'result'),
  incidents_open: gauge('Incidents that are not over, by severity.', 'severity'),
  incident_transitions_total: counter('Edges taken by incidents, the opening among them.', 'edge', 'to'),
  investigation_duration_seconds: seconds('Time from the start of an investigation to its end.', SECONDS),
  investigations_total: counter('Investigations by outcome.', 'outcome'),
  investigation_steps_total: counter('Reads of investigations by tool and status.', 'tool', 'status'),
  grounding_rejected_total: counter('Quotations that code could not find in what was read.', 'reason'),
  plans_total: counter('Plans by outcome.', 'outcome', 'reason'),
  proposals_total: counter('Proposals that ended without a decision, by how.', 'outcome'),
  policy_decisions_total: counter('Verdicts of the policy with each reason that decided.', 'verdict', 'reason'),
  policy_info: gauge('1 for the policy in force, by its hash.', 'hash'),
  approvals_total: counter('Votes by decision, or by why they were refused, and by door.', 'decision', 'channel'),
  approval_wait_seconds: seconds('Time from a proposal to the vote that settled it.', WAIT_SECONDS),
  actions_total: counter(
    'Outcomes of actions by kind and result; one that is unknown counts again once it has been read back.',
    'action',
    'result',
  ),
  verifications_total: counter('Verifications by result.', 'result'),
  rollbacks_total: counter('Undos by what led to them or what became of them.', 'reason'),
  dead_letters_total: counter('Rows that were given up after failing repeatedly.', 'row'),
  unreadable_work: gauge('Work of the last day that is not tried again since two processes died of it.', 'work'),
  undos_retrying: gauge('Undos that were refused and wait for their next try.'),
  killswitch_active: gauge('1 while the emergency stop is on.'),
  informer_last_event_timestamp_seconds: gauge('When a watch last heard anything, in seconds since 1970.', 'resource'),
  informer_relists_total: counter(
    'Times a watch listed everything: at its start, or again after it was cut or fell behind.',
    'resource',
    'reason',
  ),
  watch_observations_dropped_total: counter(
    'Observations of the watch that were not kept: refused by the database, or notes dropped from a full buffer.',
    'reason',
  ),
  watch_objects_skipped_total: counter('Objects that the watch could not read and left out.', 'resource'),
  embedded_database_restarts: gauge('Restarts of the embedded database since this process started; 0 on PostgreSQL.'),
  queue_depth: gauge('Rows waiting for a stage.', 'stage'),
  stage_errors_total: counter('Passes of a stage that failed.', 'stage'),
  notifications_total: counter('Messages by channel and result.', 'channel', 'result'),
  http_request_duration_seconds: seconds('Time to answer an API request.', SECONDS, 'method', 'route', 'status'),
  streams_open: gauge('Live streams held open on this replica.'),
  sign_ins_total: counter('Sign-ins by door and result.', 'door', 'result'),
  metrics_refused_total: counter(
    'Measurements that were dropped: not defined, too many series, or a database that was away.',
    'reason',
  ),
  model_looks_total: counter('Incidents that a model looked at, or why it did not.', 'outcome'),
  llm_tokens_total: counter('Tokens that a model has read or written.', 'kind'),
  llm_cost_total: counter('What models have cost.', 'currency'),
  llm_errors_total: counter('Calls to a model that failed.', 'reason'),
  llm_request_duration_seconds: seconds('Time of a call to a model.', SECONDS, 'outcome'),
  build_info: gauge('1 for the version that runs.', 'version'),
};
