import { instant } from '../../evidence/tables/text.ts';
import { changeLine } from '../../facts/template-diff.ts';
import type { Certainty, FindingCategory } from '../../finding/finding.ts';
import type { Decisive } from '../decisive.ts';
import { quote } from '../quote.ts';
import type { RolloutComparison } from '../rollout.ts';
import { finding, type Rule, refuted } from '../rule.ts';
import { podEvidence, SYMPTOM_WORDS } from '../symptom-evidence.ts';
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
      statement: statementOf(comparison),
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
};

/**
 * Proven takes all of it: the old revision worked, every judged pod of the new one fails, and the evidence singles one change out. A
 * change among several that nothing points at is likely at most; where the old one is not known to have worked, so is everything.
 */
function certaintyOf(comparison: RolloutComparison): Certainty {
  const { healthyBefore, decisive, symptom } = comparison;
  // Not to become ready is the weakest of signs: that a field changed just then proves nothing until something names it.
  if (symptom === 'not-ready' && decisive?.why !== 'named-by-log' && decisive?.why !== 'named-by-event') {
    return healthyBefore === undefined ? 'possible' : 'likely';
  }
  if (healthyBefore !== undefined && decisive !== undefined) return 'proven';
  return healthyBefore !== undefined || decisive !== undefined ? 'likely' : 'possible';
}

function statementOf(comparison: RolloutComparison): string {
  const { current, previous, symptom, changes, decisive } = comparison;
  const what = decisive === undefined ? `${changes.length} fields changed` : changeText(decisive);
  const before =
    comparison.healthyBefore === 'ready-now'
      ? `pods of revision ${previous.revision} are ready with the old value`
      : comparison.healthyBefore === 'ran-without-trouble'
        ? `pods of revision ${previous.revision} ran without trouble until they were replaced`
        : `whether revision ${previous.revision} worked could not be seen`;
  return `Revision ${current.revision} brought the fault: ${what}. Its pods ${SYMPTOM_WORDS[symptom]}; ${before}.`;
}

function changeText({ change, why }: Decisive): string {
  return `${change.path} changed from ${change.from ?? '(absent)'} to ${change.to ?? '(absent)'}, ${WHY[why]}`;
}

const WHY: Readonly<Record<Decisive['why'], string>> = {
  'only-change': 'the only field that changed',
  'named-by-log': "which the failing pod's log names",
  'named-by-event': 'which the events of the failing pod name',
  'named-by-termination': 'the only changed field that can have this effect',
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
