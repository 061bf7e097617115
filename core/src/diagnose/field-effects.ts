import { parseCpuMillis, parseMemoryBytes } from '../facts/quantity.ts';
import type { FieldChange } from '../finding/finding.ts';
import type { Symptom } from '../finding/symptom.ts';

/**
 * `can`: the symptom can follow from the change. `cannot`: it never does. `unknown`: no row of the table covers the field, so the change is
 * neither blamed nor cleared.
 */
export type Effect = 'can' | 'cannot' | 'unknown';

interface FieldEffect {
  /** Matches the path of a change from the pod template down. */
  readonly path: RegExp;
  readonly symptoms: readonly Symptom[];
  /** Only a change in this direction has the effect; adding a limit lowers it from no limit. */
  readonly only?: 'lowered' | 'raised';
  /** The words with which the scheduler names the field. */
  readonly scheduler?: RegExp;
}

const STARTS: readonly Symptom[] = ['crash', 'not-ready', 'initializing'];

/**
 * Which fields of a pod template can bring which symptom about. The first row that matches a path counts. Fields that only describe the
 * pod (labels, annotations, termination grace) have no symptom: a rollback of them repairs nothing.
 */
const FIELD_EFFECTS: readonly FieldEffect[] = [
  { path: /^spec\.template\.metadata(?:\.|$)/, symptoms: [] },
  { path: /\.(?:terminationGracePeriodSeconds|terminationMessagePath|terminationMessagePolicy)$/, symptoms: [] },
  { path: /\.image$/, symptoms: [...STARTS, 'image-pull', 'oom', 'creating'] },
  { path: /\.imagePullPolicy$|\.imagePullSecrets/, symptoms: ['image-pull', 'crash', 'creating'] },
  { path: /\.env\[|\.env$|\.envFrom/, symptoms: [...STARTS, 'config', 'oom'] },
  { path: /\.(?:command|args)$/, symptoms: [...STARTS, 'config', 'oom'] },
  { path: /\.workingDir$/, symptoms: [...STARTS, 'config'] },
  { path: /\.volumeMounts|\.volumeDevices/, symptoms: [...STARTS, 'config', 'creating'] },
  {
    path: /\.volumes(?:\[|\.|$)/,
    symptoms: [...STARTS, 'config', 'creating', 'unschedulable'],
    scheduler: /volume|persistentvolumeclaim/i,
  },
  {
    path: /\.resources\.limits\.memory$/,
    symptoms: ['oom', 'crash', 'not-ready'],
    only: 'lowered',
  },
  { path: /\.resources\.limits\.cpu$/, symptoms: ['crash', 'not-ready', 'initializing'], only: 'lowered' },
  {
    path: /\.resources\.requests\.memory$/,
    symptoms: ['unschedulable'],
    only: 'raised',
    scheduler: /Insufficient memory/,
  },
  { path: /\.resources\.requests\.cpu$/, symptoms: ['unschedulable'], only: 'raised', scheduler: /Insufficient cpu/ },
  // Extended resources such as GPUs: any change can ask for what no node has.
  { path: /\.resources\./, symptoms: ['unschedulable', 'crash'], scheduler: /Insufficient / },
  {
    path: /\.nodeSelector|\.affinity|\.nodeName$/,
    symptoms: ['unschedulable', 'crash', 'image-pull', 'creating'],
    scheduler: /node affinity|node selector|didn't match Pod's node/i,
  },
  { path: /\.tolerations/, symptoms: ['unschedulable'], scheduler: /untolerated taint/ },
  { path: /\.topologySpreadConstraints/, symptoms: ['unschedulable'], scheduler: /topology spread/ },
  { path: /\.schedulerName$|\.priorityClassName$|\.schedulingGates/, symptoms: ['unschedulable'] },
  { path: /\.ports/, symptoms: ['unschedulable', 'not-ready'], scheduler: /free ports/ },
  { path: /\.readinessProbe|\.readinessGates/, symptoms: ['not-ready'] },
  { path: /\.livenessProbe|\.startupProbe|\.lifecycle/, symptoms: [...STARTS] },
  { path: /\.securityContext/, symptoms: [...STARTS, 'config', 'creating'] },
  {
    path: /\.serviceAccountName$|\.serviceAccount$|\.automountServiceAccountToken$/,
    symptoms: [...STARTS, 'creating'],
  },
  { path: /\.runtimeClassName$/, symptoms: ['creating', 'crash', 'unschedulable'] },
  {
    path: /\.(?:dnsPolicy|dnsConfig|hostAliases|hostNetwork|hostPID|hostIPC|hostUsers|hostname|subdomain|enableServiceLinks|shareProcessNamespace)/,
    symptoms: [...STARTS, 'creating'],
  },
  { path: /\.(?:activeDeadlineSeconds|restartPolicy)$/, symptoms: ['crash', 'initializing'] },
];

/** Whether the symptom can follow from the change. */
export function effectOf(change: FieldChange, symptom: Symptom): Effect {
  const row = FIELD_EFFECTS.find(({ path }) => path.test(change.path));
  if (row === undefined) return 'unknown';
  if (!row.symptoms.includes(symptom)) return 'cannot';
  return row.only === undefined || row.only === directionOf(change) ? 'can' : 'cannot';
}

/** Whether the scheduler's message is about the changed field. */
export function isNamedByScheduler(change: FieldChange, message: string): boolean {
  return FIELD_EFFECTS.find(({ path }) => path.test(change.path))?.scheduler?.test(message) === true;
}

/** A limit that goes away is raised without bound; a request that goes away is lowered to nothing. */
function directionOf(change: FieldChange): 'lowered' | 'raised' | undefined {
  const parse = change.path.endsWith('.cpu') ? parseCpuMillis : parseMemoryBytes;
  const absent = change.path.includes('.limits.') ? Number.POSITIVE_INFINITY : 0;
  const from = change.from === undefined ? absent : parse(change.from);
  const to = change.to === undefined ? absent : parse(change.to);
  if (from === undefined || to === undefined || from === to) return undefined;
  return to < from ? 'lowered' : 'raised';
}
