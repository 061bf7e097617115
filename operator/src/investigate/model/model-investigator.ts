import type { Conclusion, InvestigationSubject, ModelNote } from '@hephaisto/core/investigation/investigator';
import { investigationHead } from '@hephaisto/core/model/guidance';
import { observedIn } from '@hephaisto/core/model/observed';
import { findingsOfClaims, joinFindings } from '@hephaisto/core/model/settle-claims';
import { situationText } from '@hephaisto/core/model/situation';
import type { InvestigationRun, Investigator } from '@hephaisto/core/ports/investigator';
import type { Metrics } from '@hephaisto/core/ports/telemetry';
import type { Toolbox } from '../toolbox.ts';
import { Inquiry, type InquiryDeps, type InquiryEnd, type InquiryLimits } from './inquiry.ts';
import { type LabelledRecorder, labelled } from './labelled-recorder.ts';
import { paletteOf } from './palette.ts';

export interface ModelInvestigatorDeps extends InquiryDeps {
  readonly rules: Investigator;
  readonly tools: Toolbox;
  readonly metrics: Metrics;
}

export interface ModelInvestigatorOptions {
  readonly limits: InquiryLimits;
  /** A cause that a rule has proven is not asked about. */
  readonly skipProven: boolean;
  readonly budgetUsd: number;
  /** Model, price and limits, as they are frozen with a turn. */
  readonly admission: Readonly<Record<string, unknown>>;
  /** What is the same for every incident of the cluster, for the head. */
  readonly environment: string;
}

/**
 * Rules first, then a model that gets what they found as hypotheses. Both make the same recorded reads and end in the same claims. Whatever
 * becomes of the model, what rules found stands, and the conclusion says whether a model looked and why not.
 */
export function createModelInvestigator(deps: ModelInvestigatorDeps, options: ModelInvestigatorOptions): Investigator {
  const { identity } = deps.channel;
  const note = (rest: Omit<ModelNote, 'provider' | 'model'>): ModelNote => {
    deps.metrics.count('model_looks_total', { outcome: rest.reason });
    return { ...rest, provider: identity.provider, model: identity.model };
  };
  return {
    executor: 'InProcess',
    seat: {
      head: investigationHead(options.environment),
      tools: paletteOf(deps.tools),
      admission: options.admission,
      budgetUsd: options.budgetUsd,
    },
    async investigate(subject, recorder, signal, run) {
      const seen = labelled(recorder);
      const rules = await deps.rules.investigate(subject, seen, signal, run);
      const skipped = skip(rules, run, options.skipProven);
      if (skipped !== undefined) return { ...rules, model: note(skipped) };
      const { turn } = run;
      if (turn === undefined) return rules;
      run.stands?.({ ...rules, model: { ...BROKEN_OFF, provider: identity.provider, model: identity.model } });
      const inquiry = new Inquiry(deps, options.limits, { ...run, turn }, seen, signal);
      const end = await inquiry.conduct(firstMessage(subject, rules, seen));
      return conclusionOf(subject, rules, seen, end, note);
    },
  };
}

const BROKEN_OFF: ModelNote = {
  looked: false,
  reason: 'stopped',
  message: 'the look was broken off before a model had concluded; what stands here the rules have found',
};

function skip(rules: Conclusion, run: InvestigationRun, skipProven: boolean): ModelNote | undefined {
  if (run.turn === undefined)
    return { looked: false, reason: 'not-configured', message: 'no model is configured any more; rules looked' };
  const proven = rules.findings.some((finding) => finding.primary && finding.certainty === 'proven');
  return proven && skipProven
    ? { looked: false, reason: 'proven-by-rules', message: 'a rule has proven the cause; no model was asked' }
    : undefined;
}

function firstMessage(subject: InvestigationSubject, rules: Conclusion, seen: LabelledRecorder): string {
  return situationText({
    subject,
    rules: rules.findings,
    gaps: rules.gaps,
    observed: observedIn(seen.calls),
    steps: seen.calls.map(({ call, answer }) => ({
      label: seen.labelOf(answer.stepId),
      asked: `${call.tool} ${JSON.stringify(call.args)}`,
    })),
    labelOf: seen.labelOf,
  });
}

function conclusionOf(
  subject: InvestigationSubject,
  rules: Conclusion,
  seen: LabelledRecorder,
  end: InquiryEnd,
  note: (rest: Omit<ModelNote, 'provider' | 'model'>) => ModelNote,
): Conclusion {
  const exhausted = end.exhausted === undefined ? {} : { exhausted: end.exhausted };
  if (end.kind === 'nothing') {
    const looked = seen.calls.length > 0 && end.reason !== 'unavailable' && end.reason !== 'over-budget';
    return { ...rules, model: note({ looked, reason: end.reason, message: end.message, ...exhausted }) };
  }
  const claims = findingsOfClaims(end.conclusion, subject, observedIn(seen.calls), seen.stepOf);
  const gaps = seen.calls.flatMap(({ answer }) => (answer.gap === undefined ? [] : [answer.gap]));
  return {
    findings: joinFindings(rules.findings, claims.findings),
    gaps,
    summary: end.conclusion.summary,
    model: note({
      looked: true,
      reason: 'concluded',
      message: end.conclusion.summary,
      ...exhausted,
      ...(claims.notes.length === 0 ? {} : { unresolved: claims.notes }),
    }),
  };
}
