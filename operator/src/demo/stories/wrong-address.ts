import { BACKGROUND_BEHAVIOURS, healthyScript, opening } from './background.ts';
import type { Behaviour, LogLine } from './behaviour.ts';
import type { ExpectedIncident } from './expected.ts';
import { app, type WorkloadSpec } from './manifests.ts';
import {
  A_QUIET_WHILE,
  ALL_PASSED,
  ALL_UP,
  ALWAYS_SIMULATED,
  BY_VERIFIER,
  crashLoop,
  workloadAlerts,
} from './recurring-parts.ts';
import type { Manifest, Story, WorldStep } from './story.ts';

/** A Deployment whose process refuses to start on an address that cannot be parsed: the fault of several stories. */
export interface WrongAddress {
  readonly workload: string;
  readonly image: string;
  readonly replicas: number;
  readonly variable: string;
  readonly good: string;
  readonly wrong: string;
  readonly extraLog?: readonly LogLine[];
}

export function wrongAddressSpec(fault: WrongAddress, value: string): WorkloadSpec {
  return {
    name: fault.workload,
    image: fault.image,
    replicas: fault.replicas,
    env: [
      { name: fault.variable, value },
      { name: 'LOG_LEVEL', value: 'info' },
    ],
    memoryLimit: '128Mi',
    memoryRequest: '32Mi',
  };
}

export function wrongAddressManifests(fault: WrongAddress): readonly Manifest[] {
  return app(wrongAddressSpec(fault, fault.good));
}

export function wrongAddressBehaviours(fault: WrongAddress): readonly Behaviour[] {
  const { workload, variable, extraLog = [] } = fault;
  const port = `{env.${variable}}`;
  return [
    {
      workload,
      when: { kind: 'not', condition: { kind: 'env', name: variable, matches: '^https?://[a-z.-]+:[0-9]+$' } },
      run: {
        log: [
          { at: 0, text: '{time} info starting {image}' },
          { at: 1, text: `{time} error invalid ${variable}: cannot parse "${port}": invalid port after host` },
          ...extraLog,
          { at: 2, text: '{time} fatal configuration is not valid, exiting' },
        ],
        readyAfter: 'never',
        probeOutput: 'Get "http://10.244.0.2:8080/ready": dial tcp 10.244.0.2:8080: connect: connection refused',
        exit: { after: 2, code: 1, reason: 'Error' },
      },
    },
    { workload, when: { kind: 'always' }, run: healthyScript('handled 212 requests, 0 errors') },
  ];
}

/** The rollout that brings the wrong value. */
export function wrongAddressRollout(fault: WrongAddress, value = fault.wrong): WorldStep {
  const { workload, variable } = fault;
  const note = `somebody rolls out ${variable}=${value}`;
  return { do: 'set-env', note, deployment: workload, container: workload, name: variable, value };
}

/** Everything up, a quiet while, the rollout, and its first crash loop; what people do then is the story's own. */
export function wrongAddressWorld(
  fault: WrongAddress,
): Pick<Story, 'simulated' | 'timeline' | 'behaviours' | 'alerts'> {
  return {
    simulated: ALWAYS_SIMULATED,
    timeline: [
      ...opening(wrongAddressManifests(fault)),
      ALL_UP,
      A_QUIET_WHILE,
      wrongAddressRollout(fault),
      crashLoop(fault.workload),
    ],
    behaviours: [...wrongAddressBehaviours(fault), ...BACKGROUND_BEHAVIOURS],
    alerts: workloadAlerts(fault.workload),
  };
}

/** What must be found and done: the changed field, and back to revision 1. */
export function wrongAddressIncident(fault: WrongAddress): ExpectedIncident {
  const { workload, variable, good, wrong } = fault;
  return {
    key: workload,
    workload: { kind: 'Deployment', name: workload },
    certainty: 'proven',
    cause: {
      kind: 'rollout-change',
      symptom: 'crash',
      revision: 2,
      previousRevision: 1,
      field: `spec.template.spec.containers[${workload}].env[${variable}].value`,
      from: good,
      to: wrong,
    },
    proposal: { kind: 'RollbackWorkload', fromRevision: 2, toRevision: 1 },
    final: BY_VERIFIER,
    verifications: ALL_PASSED,
  };
}
