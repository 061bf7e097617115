import { ordersIn } from '../../evidence/taint.ts';
import { quoteLine } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { podEvidence } from '../symptom-evidence.ts';
import { namedDeadServices } from '../upstream-names.ts';
import type { CaseView } from '../view.ts';

export const applicationCrash: Rule = {
  id: 'application-crash',
  question: 'Does the application end itself, and what are its last words?',
  needs: ['get_pods', 'get_logs'],
  evaluate({ view, rollout }) {
    const sick = view.troubles.filter(({ symptom }) => symptom === 'crash');
    const first = sick[0];
    if (first?.container === undefined || view.about === undefined || view.job !== undefined) return [];
    if (rollout.kind === 'explains' || namedDeadServices(view).length > 0) return [];
    const alone = sick.length === 1 && (view.pods?.value.filter((pod) => pod.ready).length ?? 0) > 0;
    if (alone) return [];
    const words = lastWords(view);
    const data = words !== undefined && DAMAGED.test(words.line);
    return finding(applicationCrash, {
      category: 'application',
      statement:
        words === undefined
          ? `Container ${first.container} ends by itself; its log does not say why.`
          : data
            ? `Container ${first.container} ends because its data is damaged, as its log says. Starting it again changes nothing.`
            : `Container ${first.container} ends by itself; its log says why.`,
      certainty: words === undefined ? 'possible' : 'likely',
      cause: {
        kind: 'crash-application',
        workload: view.about,
        container: first.container,
        ...(words === undefined ? {} : { line: words.claim.excerpt }),
      },
      evidence: [...(words === undefined ? [] : [words.claim]), ...podEvidence(view, sick, 'crash')],
    });
  },
};

const DAMAGED =
  /corrupt|checksum|invalid (?:page|magic|header|block)|bad (?:magic|block|superblock)|torn page|data is damaged|cannot replay/i;
const GRAVE =
  /\b(?:panic|fatal|exception|traceback|segfault|segmentation fault|abort\w*|assert\w*|unhandled|uncaught)\b/i;
const WRONG =
  /\b(?:error|err|fail\w*|cannot|could not|unable|denied|refused|invalid|missing|no such|not found|corrupt\w*)\b/i;

/** The line nearest the end that says most: damaged data, then a grave word, then any complaint. */
export function lastWords(view: CaseView) {
  for (const form of [DAMAGED, GRAVE, WRONG]) {
    for (const log of view.logs) {
      const line = log.value.lines.findLast((candidate) => form.test(candidate) && ordersIn(candidate).length === 0);
      const claim = line === undefined ? undefined : quoteLine(log, line);
      if (line !== undefined && claim !== undefined) return { line, claim };
    }
  }
  return undefined;
}
