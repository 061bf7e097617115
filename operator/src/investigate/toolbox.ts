import type { ToolName } from '@hephaisto/core/diagnose/tools';
import { type AnyTool, anyTool } from './tool.ts';
import { getConfigReferences } from './tools/get-config-references/tool.ts';
import { getEvents } from './tools/get-events/tool.ts';
import { getJob } from './tools/get-job/tool.ts';
import { getLogs } from './tools/get-logs/tool.ts';
import { getNodes } from './tools/get-nodes/tool.ts';
import { getPod } from './tools/get-pod/tool.ts';
import { getPods } from './tools/get-pods/tool.ts';
import { getQuota } from './tools/get-quota/tool.ts';
import { getRecentChanges } from './tools/get-recent-changes/tool.ts';
import { getRolloutHistory } from './tools/get-rollout-history/tool.ts';
import { getServices } from './tools/get-services/tool.ts';
import { getWorkload } from './tools/get-workload/tool.ts';
import { listWorkloads } from './tools/list-workloads/tool.ts';

/** All tools by name, as the recorder takes them. */
export type Toolbox = ReadonlyMap<string, AnyTool>;

const ALL: Readonly<Record<ToolName, AnyTool>> = {
  get_workload: anyTool(getWorkload),
  list_workloads: anyTool(listWorkloads),
  get_pods: anyTool(getPods),
  get_pod: anyTool(getPod),
  get_rollout_history: anyTool(getRolloutHistory),
  get_events: anyTool(getEvents),
  get_logs: anyTool(getLogs),
  get_nodes: anyTool(getNodes),
  get_config_references: anyTool(getConfigReferences),
  get_services: anyTool(getServices),
  get_job: anyTool(getJob),
  get_quota: anyTool(getQuota),
  get_recent_changes: anyTool(getRecentChanges),
};

export const TOOLBOX: Toolbox = createToolbox(Object.values(ALL));

/** Throws for a tool that could change anything, and for two of one name: both are mistakes of ours that must not start. */
export function createToolbox(tools: readonly AnyTool[]): Toolbox {
  const box = new Map<string, AnyTool>();
  for (const tool of tools) {
    if (tool.effect !== 'read')
      throw new Error(`expected tool \`${tool.name}\` to read only, found effect \`${tool.effect}\``);
    if (box.has(tool.name)) throw new Error(`expected one tool named \`${tool.name}\`, found two`);
    box.set(tool.name, tool);
  }
  return box;
}
