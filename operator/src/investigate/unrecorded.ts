import { isTainted } from '@hephaisto/core/evidence/taint';
import type { Gap } from '@hephaisto/core/finding/finding';
import type { Recorder } from '@hephaisto/core/ports/investigator';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import type { YieldToEventLoop } from '../flow/event-loop-turns.ts';
import { redactInTurns } from './redact-in-turns.ts';
import type { Toolbox } from './toolbox.ts';

/**
 * Reads like an investigation and keeps nothing: for the question whether another investigation would come to something else. Nothing that
 * was read here may be quoted.
 */
export function createUnrecordedReader(
  reader: KubeReader,
  tools: Toolbox,
  deniedNamespaces: readonly string[],
  signal: AbortSignal,
  yieldToEventLoop: YieldToEventLoop,
): Recorder {
  let calls = 0;
  const unread = (source: string, reason: Gap['reason'], message: string) => ({
    stepId: `unrecorded-${calls}`,
    text: message,
    tainted: false,
    gap: { source, query: '', reason, message, wouldHaveTold: '' },
  });
  return {
    async call(call) {
      if (signal.aborted) throw signal.reason;
      calls += 1;
      const tool = tools.get(call.tool);
      const args = tool?.schema.safeParse(call.args);
      if (tool === undefined || args?.success !== true)
        return unread(call.tool, 'malformed', 'expected a call of a tool, found none');
      const namespace = tool.namespaceOf(args.data);
      if (namespace !== undefined && deniedNamespaces.includes(namespace))
        return unread(call.tool, 'denied-namespace', `namespace ${namespace} is closed to investigations`);
      const read = await tool.read(reader, args.data, signal);
      if (read.kind === 'failure') return unread(call.tool, 'unavailable', read.message);
      const { text, value } = tool.view(await redactInTurns(read.value, yieldToEventLoop), args.data);
      return { stepId: `unrecorded-${calls}`, text, tainted: isTainted(text), value };
    },
  };
}
