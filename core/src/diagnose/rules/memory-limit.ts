import { instant } from '../../evidence/tables/text.ts';
import { ordersIn } from '../../evidence/taint.ts';
import { formatMemory, parseMemoryBytes } from '../../facts/quantity.ts';
import { inQuotes, quote, quoteLine } from '../quote.ts';
import { finding, type Rule, refuted } from '../rule.ts';
import { podEvidence } from '../symptom-evidence.ts';
import type { Trouble } from '../trouble.ts';
import { type CaseView, logsOf } from '../view.ts';

export const memoryLimit: Rule = {
  id: 'memory-limit',
  question: 'Is a memory limit below what the process needs?',
  needs: ['get_pods'],
  evaluate({ view, rollout }) {
    const killed = view.troubles.filter(({ symptom }) => symptom === 'oom');
    const first = killed[0];
    if (first === undefined) return notOutOfMemory(view);
    if (rollout.kind === 'explains' && rollout.comparison.symptom === 'oom') return [];
    const spec = first.pod.specs.find(({ name, init }) => name === first.container && init === (first.init ?? false));
    const limitBytes = spec?.limits.memoryBytes;
    if (view.about === undefined || spec === undefined || limitBytes === undefined) return [];
    const needed = statedNeed(view, killed, limitBytes);
    const standing = view.history?.value.length === 1 ? ' since its first revision' : '';
    return finding(memoryLimit, {
      category: 'capacity',
      statement: `Container ${spec.name} is killed for memory (${killedText(first)}) at its limit of ${formatMemory(limitBytes)}, which is below what it works with${standing}${needed === undefined ? '' : `: ${inQuotes(needed.line)}`}.`,
      // A kill at the limit shows that the limit was reached, not that a larger one would be enough: a leak looks the same.
      certainty: 'likely',
      cause: {
        kind: 'memory-limit-too-low',
        workload: view.about,
        container: spec.name,
        limitBytes,
        ...(needed === undefined ? {} : { neededBytes: needed.bytes }),
      },
      evidence: [
        ...podEvidence(view, killed, 'oom'),
        ...(needed?.evidence ?? []),
        ...quote(view.history, `revision ${view.history?.value[0]?.revision ?? ''}: `),
      ],
    });
  },
};

function killedText({ ended }: Trouble): string {
  return `OOMKilled, exit code ${ended?.exitCode ?? '-'}, at ${instant(ended?.finishedAt)}`;
}

function notOutOfMemory(view: CaseView) {
  const crashed = view.troubles.find(({ symptom, ended }) => symptom === 'crash' && ended !== undefined);
  if (crashed?.ended === undefined) return [];
  return refuted(
    memoryLimit,
    `the container ended with exit code ${crashed.ended.exitCode} (${crashed.ended.reason}), not OOMKilled`,
    quote(view.pods, `pod ${crashed.pod.name} `, `exit code ${crashed.ended.exitCode}`),
  );
}

const NEED =
  /\b(?:needs?|needed|requires?|required|working set|resident|rss|heap|allocat\w+|using|used|usage)\b\D{0,40}?(\d+(?:\.\d+)?) ?([KMG]i?B?)\b/i;
/** What a log says beyond this multiple of the limit is a mistake, or an attempt to get a node's worth of memory. */
const MOST_BELIEVED = 16;

/** The largest use above the limit that the log states, with its line. */
function statedNeed(view: CaseView, killed: readonly Trouble[], limitBytes: number) {
  let largest: { bytes: number; line: string; evidence: ReturnType<typeof quote> } | undefined;
  for (const log of logsOf(view, killed)) {
    for (const line of log.value.lines) {
      const match = NEED.exec(line);
      const bytes = match === null ? undefined : parseMemoryBytes(`${match[1]}${unit(match[2] ?? '')}`);
      if (bytes === undefined || bytes <= limitBytes || bytes > limitBytes * MOST_BELIEVED) continue;
      if (ordersIn(line).length > 0 || (largest !== undefined && largest.bytes >= bytes)) continue;
      const claim = quoteLine(log, line);
      if (claim !== undefined) largest = { bytes, line, evidence: [claim] };
    }
  }
  return largest;
}

/** Programs say MB where they mean MiB more often than not; the larger reading is the safe one for a limit. */
function unit(text: string): string {
  return `${text.charAt(0).toUpperCase()}i`;
}
