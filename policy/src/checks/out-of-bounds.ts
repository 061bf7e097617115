import type { ActionParams } from '@hephaisto/core/action/types';
import { formatCpu, formatMemory } from '@hephaisto/core/facts/quantity';
import { type Check, clear, unreadable, violated } from '../check.ts';
import type { CheckResult } from '../gate.ts';
import type { TargetState } from '../input.ts';
import type { NamespaceRule } from '../policy-file.ts';

export const outOfBounds: Check = ({ request, rule, target }) => {
  if (rule === undefined) return { kind: 'unknown', message: 'no rule sets bounds' };
  if (request.type === 'ScaleWorkload') return replicas(request.params, rule);
  if (request.type !== 'PatchResources') return clear('the action changes no amount');
  if (!target.known) return unreadable('the present amounts', target.why);
  return resources(request.params, rule, target.value);
};

function replicas({ toReplicas }: ActionParams['ScaleWorkload'], { bounds }: NamespaceRule): CheckResult {
  const { min, max } = bounds.replicas;
  if (min === undefined || max === undefined)
    return violated('out_of_bounds', 'the policy sets no bounds for replicas here');
  const measured = { replicas: toReplicas, min, max };
  return toReplicas < min || toReplicas > max
    ? violated('out_of_bounds', `expected ${min} to ${max} replicas, found ${toReplicas}`, measured)
    : clear(`${toReplicas} replicas lie within ${min} to ${max}`, measured);
}

function resources(
  params: ActionParams['PatchResources'],
  { bounds }: NamespaceRule,
  present: TargetState,
): CheckResult {
  const memory = largest(params.memoryLimitBytes, params.memoryRequestBytes);
  const cpu = largest(params.cpuLimitMillis, params.cpuRequestMillis);
  if (memory !== undefined) {
    const most = mostOf(bounds.memory, present.memoryLimitBytes);
    if (most === undefined) return violated('out_of_bounds', 'the policy sets no bound for memory here');
    if (memory > most)
      return violated(
        'out_of_bounds',
        `expected at most ${formatMemory(Math.floor(most))} of memory, found ${formatMemory(memory)}`,
        { memory, most },
      );
  }
  if (cpu !== undefined) {
    const most = mostOf(bounds.cpu, present.cpuLimitMillis);
    if (most === undefined) return violated('out_of_bounds', 'the policy sets no bound for cpu here');
    if (cpu > most)
      return violated(
        'out_of_bounds',
        `expected at most ${formatCpu(Math.floor(most))} of cpu, found ${formatCpu(cpu)}`,
        { cpu, most },
      );
  }
  return clear('the amounts lie within the bounds of the policy', {
    ...(memory === undefined ? {} : { memory }),
    ...(cpu === undefined ? {} : { cpu }),
  });
}

function largest(...values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
}

function mostOf(
  { max, maxFactor }: { max?: number | undefined; maxFactor: number },
  present: number | undefined,
): number | undefined {
  if (max === undefined) return undefined;
  return present === undefined ? max : Math.min(max, present * maxFactor);
}
