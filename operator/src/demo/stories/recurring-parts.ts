import type { AlertSource } from './alert-source.ts';
import type { ExpectedIncident, ExpectedWrite } from './expected.ts';
import type { HumanAct, WorldStep } from './story.ts';

/** What every story says about itself. */
export const ALWAYS_SIMULATED: readonly string[] = [
  "no process runs: a story kubelet plays the containers through the Kubernetes API, with a real kubelet's states, events and logs",
  "waiting is compressed: back-off, probes, alert durations and verification times are divided by the demo's speed",
  'alert rules fire sooner than the ones they are named after',
];

/** The rules that a broken Deployment trips. */
export function workloadAlerts(workload: string): readonly AlertSource[] {
  return [
    { kind: 'rule', rule: 'KubePodCrashLooping', workload, forSeconds: 20 },
    { kind: 'rule', rule: 'KubeDeploymentReplicasMismatch', workload, forSeconds: 60 },
  ];
}

/** The rules that a Deployment trips whose containers never start. */
export function waitingAlerts(workload: string): readonly AlertSource[] {
  return [
    { kind: 'rule', rule: 'KubeContainerWaiting', workload, forSeconds: 60 },
    { kind: 'rule', rule: 'KubeDeploymentReplicasMismatch', workload, forSeconds: 60 },
  ];
}

/** A change to a Deployment as the operator makes it: shown by a dry run, done, and said in an Event. */
export const DEPLOYMENT_WRITES: readonly ExpectedWrite[] = [
  { verb: 'patch', resource: 'deployments', dryRun: true },
  { verb: 'patch', resource: 'deployments', dryRun: false },
  { verb: 'create', resource: 'events', dryRun: false },
];

/** The same for a pod that is evicted and made anew. */
export const POD_WRITES: readonly ExpectedWrite[] = [
  { verb: 'create', resource: 'pods', subresource: 'eviction', dryRun: true },
  { verb: 'create', resource: 'pods', subresource: 'eviction', dryRun: false },
  { verb: 'create', resource: 'events', dryRun: false },
];

export const ALL_PASSED: ExpectedIncident['verifications'] = [
  { predicate: 'workload-health', result: 'passed' },
  { predicate: 'alert', result: 'passed' },
  { predicate: 'change-in-place', result: 'passed' },
];

export const BY_VERIFIER = { state: 'Resolved', by: 'verifier' } as const;

/** Waits for the proposal, reads it for as long as alerts take to fire, approves it, waits until it has been proven good. */
export function approveAndHeal(incident: string, reason: string): readonly HumanAct[] {
  return [
    { act: 'await-incident', incident, state: 'AwaitingApproval', withinSeconds: 300 },
    { act: 'watch', seconds: 90 },
    { act: 'approve', incident, by: 'approver', reason, answer: 'executes' },
    { act: 'await-incident', incident, state: 'Resolved', withinSeconds: 1800 },
  ];
}

export function escalates(incident: string, reason: string): HumanAct {
  return { act: 'await-incident', incident, state: 'Escalated', reason, withinSeconds: 600 };
}

export const ALL_UP: WorldStep = {
  do: 'wait-until',
  note: 'everything runs',
  until: { kind: 'all-rolled-out' },
  withinSeconds: 300,
};

export const A_QUIET_WHILE: WorldStep = { do: 'wait', note: 'a while passes in which all is well', seconds: 20 };

export function crashLoop(workload: string): WorldStep {
  return waiting(workload, 'CrashLoopBackOff');
}

export function waiting(workload: string, reason: string): WorldStep {
  const note = `a container of ${workload} waits: ${reason}`;
  return { do: 'wait-until', note, until: { kind: 'container-waiting', workload, reason }, withinSeconds: 300 };
}
