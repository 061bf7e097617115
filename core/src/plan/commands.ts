import { evictionCommand, kubectlRef } from '../action/references.ts';
import { assertNever } from '../assert-never.ts';
import type { ObjectRef } from '../facts/facts.ts';
import { formatCpu, formatMemory } from '../facts/quantity.ts';
import type { Cause } from '../finding/finding.ts';
import { raisedMemoryLimit } from './propose.ts';
import type { PlanBounds } from './vocabulary.ts';

/**
 * What a person who knows the missing part would type. Words in capitals between angle brackets are for them to fill in, so that no line runs
 * by being pasted unread.
 */
export function commandsFor(cause: Cause, bounds: PlanBounds): readonly string[] {
  switch (cause.kind) {
    case 'rollout-change':
      return [
        `kubectl rollout history ${kubectlRef(cause.workload)}`,
        // kubectl refuses to undo a paused rollout.
        ...(cause.paused === undefined ? [] : [resume(cause.workload)]),
        `kubectl rollout undo ${kubectlRef(cause.workload)} --to-revision=${cause.previousRevision}`,
      ];
    case 'memory-limit-too-low': {
      const limit = raisedMemoryLimit(cause.limitBytes, cause.neededBytes, bounds);
      const shown = limit === undefined ? '<LIMIT>' : formatMemory(limit);
      return [
        `kubectl set resources ${kubectlRef(cause.workload)} -c ${cause.container} --limits=memory=${shown}`,
        ...(cause.paused === undefined ? [] : [resume(cause.workload)]),
      ];
    }
    case 'stale-local-state':
    case 'one-bad-replica':
      return [`kubectl logs ${kubectlRef(cause.pod)} --previous`, evictionCommand(cause.pod)];
    case 'image-missing':
      return [`kubectl set image ${kubectlRef(cause.workload)} ${cause.container}=<IMAGE THAT EXISTS>`];
    case 'unschedulable':
      return unschedulableCommands(cause);
    case 'config-missing':
      return configCommands(cause);
    case 'crash-application':
      return [`kubectl logs ${kubectlRef(cause.workload)} -c ${cause.container} --previous`];
    case 'pod-creation-refused':
      return refusalCommands(cause);
    case 'pod-start-held':
      return [
        ...(cause.by === 'init-container' && cause.container !== undefined
          ? [`kubectl logs ${kubectlRef(cause.pod)} -c ${cause.container}`]
          : []),
        `kubectl describe ${kubectlRef(cause.pod)}`,
      ];
    case 'pods-not-ready':
      return [
        `kubectl describe ${kubectlRef(cause.workload)}`,
        `kubectl logs ${kubectlRef(cause.workload)}${cause.container === undefined ? '' : ` -c ${cause.container}`}`,
      ];
    case 'unmatched-selector':
      return [
        `kubectl get ${kubectlRef(cause.service)} -o yaml`,
        `kubectl get pods -n ${cause.service.namespace} --show-labels`,
      ];
    case 'rollout-paused':
      return [`kubectl rollout history ${kubectlRef(cause.workload)}`, resume(cause.workload)];
    case 'upstream':
      return [
        `kubectl get endpointslices -n ${cause.service.namespace} -l kubernetes.io/service-name=${cause.service.name}`,
        ...(cause.backend === undefined ? [] : [`kubectl describe ${kubectlRef(cause.backend)}`]),
      ];
    case 'job-failed':
      return [`kubectl logs ${kubectlRef(cause.job)}`, `kubectl describe ${kubectlRef(cause.job)}`];
    case 'node-pressure':
      return [`kubectl describe node ${cause.node}`];
    case 'refuted':
    case 'unknown':
      return [];
    default:
      return assertNever(cause);
  }
}

function resume(workload: ObjectRef): string {
  return `kubectl rollout resume ${kubectlRef(workload)}`;
}

function refusalCommands(cause: Extract<Cause, { kind: 'pod-creation-refused' }>): readonly string[] {
  const { by, name, workload } = cause;
  const namespace = `-n ${workload.namespace}`;
  const named = name === undefined ? '' : ` ${name}`;
  switch (by) {
    case 'quota':
      return [`kubectl describe resourcequota${named} ${namespace}`];
    case 'limit-range':
      return [`kubectl describe limitrange ${namespace}`];
    case 'pod-security':
    case 'namespace':
      return [`kubectl get namespace ${workload.namespace} -o yaml`];
    case 'webhook':
      return ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations'];
    case 'policy':
      return [`kubectl describe validatingadmissionpolicy${named}`];
    case 'service-account':
      return [`kubectl get serviceaccount${named} ${namespace}`];
    case 'priority-class':
      return ['kubectl get priorityclasses'];
    case 'other':
      return [`kubectl describe ${kubectlRef(workload)}`];
    default:
      return assertNever(by);
  }
}

function unschedulableCommands(cause: Extract<Cause, { kind: 'unschedulable' }>): readonly string[] {
  const { workload, resource, largestNode } = cause;
  if (resource === 'other' || largestNode === undefined) {
    return [`kubectl describe ${kubectlRef(workload)}`, 'kubectl describe nodes'];
  }
  const most = resource === 'cpu' ? formatCpu(largestNode.allocatable) : formatMemory(largestNode.allocatable);
  return [`kubectl set resources ${kubectlRef(workload)} --requests=${resource}=<LESS THAN ${most}>`];
}

function configCommands(cause: Extract<Cause, { kind: 'config-missing' }>): readonly string[] {
  const { source, name, key, workload } = cause;
  const kind = source === 'Secret' ? 'secret' : 'configmap';
  if (key === undefined) {
    const type = source === 'Secret' ? 'secret generic' : 'configmap';
    return [`kubectl create ${type} ${name} -n ${workload.namespace} --from-literal=<KEY>=<VALUE>`];
  }
  const field = source === 'Secret' ? 'stringData' : 'data';
  const patch = JSON.stringify({ [field]: { [key]: '<VALUE>' } });
  return [`kubectl patch ${kind} ${name} -n ${workload.namespace} --type merge -p '${patch}'`];
}
