import { instant, oneLine } from '../../evidence/tables/text.ts';
import { changeLine } from '../../facts/template-diff.ts';
import type { Certainty, FindingCategory } from '../../finding/finding.ts';
import type { Decisive } from '../decisive.ts';
import { inQuotes, quote } from '../quote.ts';
import type { RolloutComparison } from '../rollout.ts';
import { finding, type Rule, refuted } from '../rule.ts';
import { decisiveWords, podEvidence, SYMPTOM_WORDS } from '../symptom-evidence.ts';
import type { CaseView } from '../view.ts';

export const rolloutChange: Rule = {
  id: 'rollout-change',
  question: 'Did the newest revision bring the fault?',
  needs: ['get_pods', 'get_rollout_history'],
  evaluate({ view, rollout }) {
    if (rollout.kind === 'unasked' || view.about === undefined) return [];
    if (rollout.kind === 'refuted') {
      const needle = rollout.revision === undefined ? 'revision ' : `revision ${rollout.revision}: `;
      return refuted(rolloutChange, rollout.answer, quote(view.history, needle));
    }
    const { comparison } = rollout;
    const { current, previous, changes, symptom, decisive } = comparison;
    return finding(rolloutChange, {
      category: CATEGORY[symptom],
      statement: statementOf(view, comparison),
      certainty: certaintyOf(comparison),
      cause: {
        kind: 'rollout-change',
        workload: view.about,
        symptom,
        revision: current.revision,
        previousRevision: previous.revision,
        changedAt: current.createdAt,
        changes,
        ...(decisive === undefined ? {} : { decisive: decisive.change }),
      },
      evidence: evidenceOf(view, comparison),
    });
  },
};

const CATEGORY: Readonly<Record<RolloutComparison['symptom'], FindingCategory>> = {
  crash: 'configuration',
  'not-ready': 'configuration',
  config: 'configuration',
  'image-pull': 'configuration',
  oom: 'capacity',
  unschedulable: 'capacity',
  initializing: 'configuration',
  creating: 'configuration',
};

/**
 * Proven takes all of it: the old revision worked, every judged pod of the new one fails, and the failing container's own words or state
 * name the new value. Elimination never proves: a restart without any change may have brought the fault. Where the old revision is not
 * known to have worked, a named change is likely at most.
 */
function certaintyOf(comparison: RolloutComparison): Certainty {
  const { healthyBefore, decisive } = comparison;
  if (healthyBefore === undefined) return decisive?.names === 'value' ? 'likely' : 'possible';
  return decisive?.names === 'value' ? 'proven' : 'likely';
}

function statementOf(view: CaseView, comparison: RolloutComparison): string {
  const { current, previous, symptom, changes, decisive } = comparison;
  const what = decisive === undefined ? `${changes.length} fields changed` : changeText(decisive);
  const before =
    comparison.healthyBefore === 'ready-now'
      ? `pods of revision ${previous.revision} are ready with the old value`
      : comparison.healthyBefore === 'ran-without-trouble'
        ? `pods of revision ${previous.revision} ran without trouble until they were replaced`
        : `whether revision ${previous.revision} worked could not be seen`;
  return `Revision ${current.revision} brought the fault: ${what}. Its pods ${SYMPTOM_WORDS[symptom]}${wordsOf(view, comparison)}; ${before}.`;
}

function changeText({ change, why, words }: Decisive): string {
  const named = words === undefined ? '' : `: ${inQuotes(words)}`;
  return `${change.path} changed from ${shown(change.from)} to ${shown(change.to)}, ${WHY[why]}${named}`;
}

function shown(value: string | undefined): string {
  return value === undefined ? '(absent)' : oneLine(value, LONGEST_VALUE);
}

/** The pods' own words, where no change is named by them. */
function wordsOf(view: CaseView, { decisive, sick, symptom }: RolloutComparison): string {
  const words = decisive?.words === undefined ? decisiveWords(view, sick, symptom) : undefined;
  return words === undefined ? '' : `: ${inQuotes(words)}`;
}

/** The evidence beside the sentence holds the whole value. */
const LONGEST_VALUE = 120;

const WHY: Readonly<Record<Decisive['why'], string>> = {
  'only-able': 'the only changed field that can have this effect',
  'named-by-log': "which the failing pod's log names",
  'named-by-event': 'which the events of the failing pod name',
  'named-by-state': 'which the state of the failing pod names',
};

function evidenceOf(
  view: CaseView,
  { current, previous, changes, sick, decisive, symptom, healthyBefore }: RolloutComparison,
) {
  const shown = decisive === undefined ? changes.slice(0, 3) : [decisive.change];
  const ready = view.pods?.value.find((pod) => pod.ready && pod.owners.some(({ uid }) => uid === previous.uid));
  return [
    ...shown.flatMap((change) => quote(view.history, changeLine(change))),
    ...quote(view.history, `revision ${current.revision}: `, instant(current.createdAt)),
    ...podEvidence(view, sick, symptom),
    ...(decisive?.evidence ?? []),
    ...(ready === undefined ? [] : quote(view.pods, `pod ${ready.name}: ready`)),
    ...(healthyBefore === 'ran-without-trouble' ? quote(view.events, `Pod/${previous.name}-`, 'Started') : []),
    ...quote(view.history, `revision ${previous.revision}: `),
  ];
}
