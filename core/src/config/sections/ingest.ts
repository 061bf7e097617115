import { z } from 'zod';
import { INCIDENT_STATES } from '../../incident/machine.ts';
import { SEVERITIES } from '../../signal/kind.ts';
import { isStorableTime } from '../../signal/storable-time.ts';
import { duration } from '../duration.ts';
import { namespaceName } from '../namespace-name.ts';

/** In UTC, since the database refuses offsets that RFC 3339 allows. */
const instant = z.iso
  .datetime({ offset: true })
  .refine((text) => isStorableTime(new Date(text)), 'expected a year from 1 to 9999')
  .transform((text) => new Date(text).toISOString());

/** Each incident is investigated: without a bound, a storm would be worked off one by one for hours. */
const MAX_INCIDENTS_OF_A_STORM = 500;

const names = z.array(z.string().min(1));
const namespaceNames = z.array(namespaceName);

/** What is watched, how patient the watch is, and how alerts are read. */
export const ingestSection = z.strictObject({
  watch: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Watch the cluster itself, besides taking alerts.'),
      namespaces: namespaceNames
        .default([])
        .describe('Namespaces to watch. Empty: all of them, with one watch a kind.'),
      ignoreNamespaces: namespaceNames.default([]).describe('Namespaces whose objects are never read for faults.'),
      firstCrash: duration('60s').describe('How long a container may be down after its first crash.'),
      rolloutCrash: duration('45s').describe(
        'How long a container may keep crashing while a rollout of its Deployment, StatefulSet or DaemonSet progresses.',
      ),
      imagePull: duration('60s').describe('How long pulling an image may fail for reasons that can pass.'),
      unschedulable: duration('60s').describe('How long a pod that some node could hold may wait for one.'),
      config: duration('5s').describe('How long something a pod refers to may be missing.'),
      notReady: duration('2m').describe('How long a pod may be unready while its siblings are ready.'),
      notReadyAlone: duration('10m').describe('How long a pod may be unready while none of its siblings is ready.'),
      replicas: duration('10m').describe('How long a Deployment may have too few available replicas.'),
      node: duration('10s').describe('How long a node may be unready.'),
      cordonedNode: duration('30m').describe('How long a node that somebody closed to new pods may be unready.'),
      warning: duration('60s').describe('How long after a Warning its object is looked at for a fault.'),
      oldWarning: duration('10m').describe('Warnings older than this are about the past.'),
      heal: duration('2m').describe('How long a symptom must be away before it counts as healed.'),
      repeat: duration('1h').describe('How often a fault that goes on unchanged is told again.'),
      repeatChanged: duration('30s').describe('How often at most a fault that goes on and changes is told again.'),
      idle: duration('90s', { min: '1s' }).describe('A watch that says nothing for so long is opened anew.'),
      pageSize: z.int().min(10).max(5_000).default(500).describe('Objects a page when listing.'),
      sampleEvery: duration('60s', { min: '1s' }).describe(
        'How often readiness and restarts of a workload are recorded at least.',
      ),
    })
    .prefault({}),
  alerts: z
    .strictObject({
      clusterLabels: names
        .default(['cluster', 'cluster_name', 'k8s_cluster'])
        .describe('Labels that name the cluster; the first present wins.'),
      namespaceLabels: names
        .default(['exported_namespace', 'namespace', 'kubernetes_namespace'])
        .describe('Labels that name the namespace. A plain one may be the exporter’s own.'),
      podLabels: names
        .default(['exported_pod', 'pod', 'pod_name', 'kubernetes_pod_name'])
        .describe('Labels that name the pod.'),
      nodeLabels: names.default(['exported_node', 'node', 'kubernetes_node']).describe('Labels that name the node.'),
      ownerLabels: z
        .array(z.strictObject({ label: z.string().min(1), kind: z.string().min(1) }))
        .default([])
        .describe('Further labels that name an object, before the built-in ones.'),
      selfLabel: z
        .string()
        .min(1)
        .default('hephaisto_self')
        .describe('Alerts with this label set to `true` are about hephaisto itself.'),
      maxBodyMib: z.int().min(1).max(16).default(16).describe('Largest webhook body in MiB.'),
    })
    .prefault({}),
  ownNamespaces: namespaceNames
    .default(['hephaisto'])
    .describe('Where hephaisto itself lives; faults there are told and never acted on.'),
  intakeRetention: duration('7d', { min: '1h' }).describe('How long webhook bodies are kept.'),
  benignRetention: duration('1d', { min: '1h' }).describe('How long signals that opened nothing are kept.'),
});
export type IngestConfig = z.output<typeof ingestSection>;

/** When signals become, join and leave incidents. */
export const incidentsSection = z.strictObject({
  burst: duration('5m').describe('Signals of one fingerprint within this time after the first are one burst.'),
  correlation: duration('10m').describe('Signals with overlapping owners within this time are one incident.'),
  recurrence: duration('24h').describe('A fault that comes back within this time points at its earlier incident.'),
  flapWindow: duration('1h').describe('Window in which incidents of one fingerprint are counted.'),
  flapLimit: z
    .int()
    .min(1)
    .default(3)
    .describe('More incidents of one fingerprint than this in the window is flapping.'),
  flapCooldown: duration('4h').describe('How long a flapping fault opens nothing.'),
  stormWindow: duration('5m').describe('Window in which opened incidents are counted.'),
  stormLimit: z
    .int()
    .min(1)
    .max(MAX_INCIDENTS_OF_A_STORM)
    .default(20)
    .describe('More incidents than this in the window is a storm.'),
  stormCriticalReserve: z
    .int()
    .min(0)
    .max(MAX_INCIDENTS_OF_A_STORM)
    .default(10)
    .describe('How many more incidents may open during a storm if they are critical.'),
  stormCalm: duration('10m').describe('How long fewer incidents must have come for a storm to be over.'),
  quiet: duration('10m').describe('How long after its last resolved signal an incident is resolved.'),
  expiry: duration('24h').describe('An incident without any signal for so long expires.'),
  selfCaused: duration('2m').describe('How long after our own action a passing disturbance of its workload is ours.'),
  maintenance: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        namespaces: namespaceNames.default([]).describe('Empty: all.'),
        from: instant,
        to: instant,
      }),
    )
    .default([])
    .describe('Windows in which new incidents are recorded and suppressed.'),
});
export type IncidentsConfig = z.output<typeof incidentsSection>;

/** Who is told what. */
export const notifySection = z.strictObject({
  webhooks: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('Name under which routes refer to it.'),
        url: z.url().describe('Where messages are posted.'),
        secretFile: z.string().min(1).optional().describe('File with the secret that messages are signed with.'),
        secret: z.string().min(8).optional().describe('The secret itself. Prefer `secretFile`.'),
      }),
    )
    .default([])
    .describe('Endpoints of signed messages.'),
  routes: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        to: z.string().min(1).describe('Name of the endpoint.'),
        states: z
          .array(z.enum(INCIDENT_STATES))
          .default(['AwaitingApproval', 'Escalated', 'Resolved', 'Expired'])
          .describe('States whose entering is told.'),
        severities: z.array(z.enum(SEVERITIES)).default([]).describe('Empty: all.'),
        namespaces: namespaceNames.default([]).describe('Empty: all.'),
        onUnknown: z
          .enum(['resend', 'hold'])
          .default('resend')
          .describe('What to do with a message of which nobody knows whether it arrived. The key stays the same.'),
      }),
    )
    .default([])
    .describe('Which events go to which endpoint.'),
  timeout: duration('10s', { min: '1s' }).describe('How long a receiver may take.'),
  firstRetry: duration('10s', { min: '1ms' }).describe('Wait before the second try; doubles with each further one.'),
  longestRetry: duration('15m').describe('Longest wait between two tries.'),
  giveUp: duration('24h').describe('A message that nobody took for so long has failed.'),
  cooldown: duration('15m').describe('How long the same is not said again about a workload.'),
  window: duration('10m', { min: '1s' }).describe('Window of the limit.'),
  perWindow: z.int().min(1).default(30).describe('Messages a channel may send in the window; first ones always go.'),
});
export type NotifyConfig = z.output<typeof notifySection>;
