import type { ToolCall } from '@hephaisto/core/investigation/investigator';
import { CONCLUDE } from '@hephaisto/core/model/conclude';
import type { ToolCallBlock, ToolResultBlock } from '@hephaisto/core/model/message';
import { stepLabel } from '@hephaisto/core/model/step-label';
import { BudgetUsedUp } from '../end.ts';
import type { LabelledRecorder } from './labelled-recorder.ts';

/** Reads that one message may ask for. */
export const MOST_AT_ONCE = 8;

export interface Answered {
  readonly results: readonly ToolResultBlock[];
  /** Calls that taught nothing new: repeated, malformed, or too many. */
  readonly wasted: number;
  /** Which budget ended the reading, if one did. */
  readonly usedUp?: 'steps' | 'time';
}

/**
 * Makes the reads that a message asks for, at the same time, and answers every call in the order of asking. What is no read is answered with
 * words that say what to do instead. `shown` holds what the model has seen in full; it grows.
 */
export async function answerCalls(
  calls: readonly ToolCallBlock[],
  recorder: LabelledRecorder,
  shown: Set<string>,
): Promise<Answered> {
  let wasted = 0;
  let usedUp: Answered['usedUp'];
  const teach = (text: string) => {
    wasted += 1;
    return { text, failed: true };
  };
  const inThisMessage = new Set<string>();
  const answers = calls.map(
    (block, index): Promise<{ text: string; failed: boolean }> | { text: string; failed: boolean } => {
      if (block.name === CONCLUDE)
        return teach('conclude was called beside other calls; call it alone, after you have their results');
      if (block.args === undefined)
        return teach('the arguments are no JSON object; call again with arguments of the schema');
      if (index >= MOST_AT_ONCE)
        return teach(`at most ${MOST_AT_ONCE} calls are answered at once; ask again for what you still need`);
      const call: ToolCall = { tool: block.name, args: block.args };
      const label = stepLabel(call);
      if (shown.has(label) || inThisMessage.has(label))
        return teach(
          `[step ${label}] holds the answer to exactly this already, and nothing changes within one investigation; ask something else or conclude`,
        );
      inThisMessage.add(label);
      return read(call, label);
    },
  );

  async function read(call: ToolCall, label: string): Promise<{ text: string; failed: boolean }> {
    try {
      const answer = await recorder.call(call);
      shown.add(label);
      return { text: `[step ${label}]\n${answer.text}`, failed: answer.value === undefined };
    } catch (error: unknown) {
      if (!(error instanceof BudgetUsedUp)) throw error;
      usedUp = error.budget;
      return { text: `${error.message}; conclude with what you have`, failed: true };
    }
  }

  const settled = await Promise.all(answers);
  const results = calls.map((block, index): ToolResultBlock => {
    const answer = settled[index] ?? { text: 'not answered', failed: true };
    return { kind: 'tool-result', callId: block.id, name: block.name, ...answer };
  });
  return { results, wasted, ...(usedUp === undefined ? {} : { usedUp }) };
}
