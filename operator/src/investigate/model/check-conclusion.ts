import { checkEvidence } from '@hephaisto/core/finding/ground';
import { CONCLUDE, type ConcludeArgs, concludeArgs } from '@hephaisto/core/model/conclude';
import type { ToolCallBlock } from '@hephaisto/core/model/message';
import type { LabelledRecorder } from './labelled-recorder.ts';

export type CheckedConclusion =
  | { readonly kind: 'concluded'; readonly conclusion: ConcludeArgs }
  /** `standing` is what may be kept if the model does not correct it. */
  | { readonly kind: 'rejected'; readonly text: string; readonly standing?: ConcludeArgs };

/** Reads a call of `conclude`. Quotations are checked here only to say in time which do not stand; they count after the check that follows. */
export function checkConclusion(block: ToolCallBlock, recorder: LabelledRecorder): CheckedConclusion {
  const parsed = concludeArgs.safeParse(block.args);
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, 6)
      .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
    return {
      kind: 'rejected',
      text: `${CONCLUDE} was not taken: ${issues.join('; ')}. Call it again with what the schema allows.`,
    };
  }
  const faults = parsed.data.findings.flatMap((finding, index) => faultsOf(finding.evidence, index, recorder));
  if (faults.length === 0) return { kind: 'concluded', conclusion: parsed.data };
  return {
    kind: 'rejected',
    standing: parsed.data,
    text: `These quotations do not stand: ${faults.slice(0, 8).join('; ')}. Copy the words exactly, or leave the finding out, and call ${CONCLUDE} again.`,
  };
}

type Evidence = ConcludeArgs['findings'][number]['evidence'];

function faultsOf(evidence: Evidence, index: number, recorder: LabelledRecorder): readonly string[] {
  if (evidence.length === 0) return [`finding ${index + 1} quotes nothing`];
  return evidence.flatMap(({ step, excerpt }) => {
    const stepId = recorder.stepOf(step.replace(/^\[?(?:step\s+)?|\]$/gu, '').trim()) ?? step;
    const verdict = checkEvidence({ stepId, excerpt }, (id) => {
      const text = recorder.textOf(id);
      return text === undefined ? undefined : { kind: 'own', ...text };
    });
    return verdict.kind === 'rejected' ? [`finding ${index + 1}, step ${step.slice(0, 64)}: ${verdict.message}`] : [];
  });
}
