import { parseCpuMillis, parseMemoryBytes } from '../facts/quantity.ts';
import { containerIndex, resourcesPath } from './patch-resources/request.ts';
import { type RawObject, textAt } from './raw-object.ts';

/** Present limits of one container of a controller's template; absent where it has none. */
export function memoryAndCpuOf(
  workload: RawObject,
  container: string,
): { readonly memoryLimitBytes?: number; readonly cpuLimitMillis?: number } {
  const path = resourcesPath(containerIndex(workload, container));
  const memory = parseMemoryBytes(textAt(workload, `${path}/limits/memory`));
  const cpu = parseCpuMillis(textAt(workload, `${path}/limits/cpu`));
  return {
    ...(memory === undefined ? {} : { memoryLimitBytes: memory }),
    ...(cpu === undefined ? {} : { cpuLimitMillis: cpu }),
  };
}
