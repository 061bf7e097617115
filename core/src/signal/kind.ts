/** What a signal says is wrong, in the field's own words. `Unknown` is an alert whose name tells us nothing. */
export const SIGNAL_KINDS = [
  'CrashLoopBackOff',
  'OomKilled',
  'ImagePullBackOff',
  'Unschedulable',
  'ConfigError',
  'JobFailed',
  'NodePressure',
  'ReplicaMismatch',
  'PodNotReady',
  'RestartStorm',
  'TargetDown',
  'HighErrorRate',
  'HighLatency',
  'PvcNearlyFull',
  'Watchdog',
  'Unknown',
] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];

export const SIGNAL_SOURCES = ['k8s', 'alertmanager', 'promql', 'selfcheck'] as const;
export type SignalSource = (typeof SIGNAL_SOURCES)[number];

export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];
