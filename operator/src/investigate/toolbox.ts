import type { ToolName } from '@hephaisto/core/diagnose/tools';
import type { Tool } from './tool.ts';
import { getConfigReferences } from './tools/get-config-references/tool.ts';
import { getEvents } from './tools/get-events/tool.ts';
import { getJob } from './tools/get-job/tool.ts';
import { getLogs } from './tools/get-logs/tool.ts';
import { getNodes } from './tools/get-nodes/tool.ts';
import { getPod } from './tools/get-pod/tool.ts';
import { getPods } from './tools/get-pods/tool.ts';
import { getRolloutHistory } from './tools/get-rollout-history/tool.ts';
import { getServices } from './tools/get-services/tool.ts';
import { getWorkload } from './tools/get-workload/tool.ts';
import { listWorkloads } from './tools/list-workloads/tool.ts';

/** All tools by name, as the recorder takes them. The pairing of a tool's arguments and answer is erased here and restored by name. */
export type Toolbox = ReadonlyMap<string, Tool<never, never>>;

const ALL: { readonly [T in ToolName]: Tool<T, never> } = {
  get_workload: getWorkload,
  list_workloads: listWorkloads,
  get_pods: getPods,
  get_pod: getPod,
  get_rollout_history: getRolloutHistory,
  get_events: getEvents,
  get_logs: getLogs,
  get_nodes: getNodes,
  get_config_references: getConfigReferences,
  get_services: getServices,
  get_job: getJob,
};

export const TOOLBOX: Toolbox = createToolbox(Object.values(ALL) as readonly Tool<never, never>[]);

/** Throws for a tool that could change anything, and for two of one name: both are mistakes of ours that must not start. */
export function createToolbox(tools: readonly Tool<never, never>[]): Toolbox {
  const box = new Map<string, Tool<never, never>>();
  for (const tool of tools) {
    const effect: string = tool.effect;
    if (effect !== 'read') throw new Error(`expected tool \`${tool.name}\` to read only, found effect \`${effect}\``);
    if (box.has(tool.name)) throw new Error(`expected one tool named \`${tool.name}\`, found two`);
    box.set(tool.name, tool);
  }
  return box;
}
