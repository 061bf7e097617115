import { formatCpu, formatMemory } from '../../facts/quantity.ts';
import type { ActionParams } from '../types.ts';

/** `memory limit 512Mi, cpu request 250m`, in a fixed order. */
export function amountsText(params: ActionParams['PatchResources']): string {
  const amounts = [
    params.memoryLimitBytes === undefined ? undefined : `memory limit ${formatMemory(params.memoryLimitBytes)}`,
    params.memoryRequestBytes === undefined ? undefined : `memory request ${formatMemory(params.memoryRequestBytes)}`,
    params.cpuLimitMillis === undefined ? undefined : `cpu limit ${formatCpu(params.cpuLimitMillis)}`,
    params.cpuRequestMillis === undefined ? undefined : `cpu request ${formatCpu(params.cpuRequestMillis)}`,
  ];
  return amounts.filter((amount) => amount !== undefined).join(', ');
}

/** Arguments of `kubectl set resources`. */
export function kubectlAmounts(params: ActionParams['PatchResources']): string {
  const limits = [
    params.memoryLimitBytes === undefined ? undefined : `memory=${formatMemory(params.memoryLimitBytes)}`,
    params.cpuLimitMillis === undefined ? undefined : `cpu=${formatCpu(params.cpuLimitMillis)}`,
  ].filter((amount) => amount !== undefined);
  const requests = [
    params.memoryRequestBytes === undefined ? undefined : `memory=${formatMemory(params.memoryRequestBytes)}`,
    params.cpuRequestMillis === undefined ? undefined : `cpu=${formatCpu(params.cpuRequestMillis)}`,
  ].filter((amount) => amount !== undefined);
  return [
    ...(limits.length > 0 ? [`--limits=${limits.join(',')}`] : []),
    ...(requests.length > 0 ? [`--requests=${requests.join(',')}`] : []),
  ].join(' ');
}
