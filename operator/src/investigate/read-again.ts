import { storableText } from '@hephaisto/core/evidence/utf8';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import type { YieldToEventLoop } from '../flow/event-loop-turns.ts';
import { capText } from './cap-text.ts';
import { redactInTurns } from './redact-in-turns.ts';
import type { Toolbox } from './toolbox.ts';

const LONGEST_READ_MS = 10_000;

/**
 * Puts a recorded question once more and returns its text as an investigation would see it now; undefined when it cannot be asked or
 * answered. Records nothing: it compares, it does not conclude.
 */
export function createReadAgain(
  reader: KubeReader,
  tools: Toolbox,
  yieldToEventLoop: YieldToEventLoop,
): (tool: string, args: unknown) => Promise<string | undefined> {
  return async (name, given) => {
    const tool = tools.get(name);
    const args = tool?.schema.safeParse(given);
    if (tool === undefined || args?.success !== true) return undefined;
    const signal = AbortSignal.timeout(LONGEST_READ_MS);
    const read = await tool.read(reader.until(signal), args.data, signal);
    if (read.kind === 'failure') return undefined;
    const { text } = tool.view(await redactInTurns(read.value, yieldToEventLoop), args.data);
    return capText(storableText(text), tool.maxBytes).text;
  };
}
