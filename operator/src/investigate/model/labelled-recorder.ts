import { callKey } from '@hephaisto/core/diagnose/tools';
import type { ToolAnswer, ToolCall } from '@hephaisto/core/investigation/investigator';
import type { RecordedCall } from '@hephaisto/core/model/observed';
import { stepLabel } from '@hephaisto/core/model/step-label';
import type { Recorder } from '@hephaisto/core/ports/investigator';

/** A recorder that remembers what was read, by the labels under which a model cites it. */
export interface LabelledRecorder extends Recorder {
  readonly calls: readonly RecordedCall[];
  stepOf(label: string): string | undefined;
  labelOf(stepId: string): string;
  textOf(stepId: string): { readonly text: string; readonly tainted: boolean } | undefined;
  /** Whether an equal call has been answered. */
  has(call: ToolCall): boolean;
}

export function labelled(recorder: Recorder): LabelledRecorder {
  const calls: RecordedCall[] = [];
  const keys = new Set<string>();
  const steps = new Map<string, ToolAnswer<unknown>>();
  const labels = new Map<string, string>();
  return {
    calls,
    stepOf: (label) => steps.get(label)?.stepId,
    labelOf: (stepId) => labels.get(stepId) ?? stepId,
    textOf: (stepId) => calls.find(({ answer }) => answer.stepId === stepId)?.answer,
    has: (call) => keys.has(callKey(call)),
    async call(call, options) {
      const answer = await recorder.call(call, options);
      const key = callKey(call);
      if (!keys.has(key) || options?.fresh === true) {
        keys.add(key);
        const before = calls.findIndex((each) => callKey(each.call) === key);
        calls.splice(before < 0 ? calls.length : before, before < 0 ? 0 : 1, { call, answer });
        const label = stepLabel(call);
        if (!steps.has(label) || before >= 0) steps.set(label, answer);
        labels.set(answer.stepId, label);
      }
      return answer;
    },
  };
}
