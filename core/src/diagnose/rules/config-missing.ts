import { ordersIn } from '../../evidence/taint.ts';
import type { EvidenceClaim } from '../../finding/finding.ts';
import { isInEpisode } from '../episode.ts';
import { inQuotes, quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { podEvidence, quoteEvent } from '../symptom-evidence.ts';
import type { Trouble } from '../trouble.ts';
import type { CaseView } from '../view.ts';

interface Missing {
  readonly source: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly key?: string;
}

export const configMissing: Rule = {
  id: 'config-missing',
  question: 'Is a Secret, a ConfigMap or a key of one missing?',
  needs: ['get_pods', 'get_events'],
  evaluate({ view, rollout }) {
    const sick = view.troubles.filter(({ symptom }) => symptom === 'config' || symptom === 'creating');
    const found = missingIn(view, sick);
    if (found === undefined || view.about === undefined) return [];
    if (rollout.kind === 'explains' && rollout.comparison.symptom === 'config') return [];
    const { source, name, key } = found.missing;
    const container = sick[0]?.container;
    return finding(configMissing, {
      category: 'configuration',
      statement:
        key === undefined
          ? `${source} ${name} does not exist, and the pod cannot start without it: ${inQuotes(found.words)}.`
          : `${source} ${name} has no key ${key}, and the pod cannot start without it: ${inQuotes(found.words)}.`,
      // The kubelet looked for it and says so; nothing has to be concluded.
      certainty: 'proven',
      cause: {
        kind: 'config-missing',
        workload: view.about,
        ...(container === undefined ? {} : { container }),
        source,
        name,
        ...(key === undefined ? {} : { key }),
      },
      evidence: [
        ...found.evidence,
        ...podEvidence(view, sick, sick[0]?.symptom ?? 'config').slice(0, 1),
        ...quote(view.history, `revision ${view.history?.value[0]?.revision ?? ''}: `),
      ],
    });
  },
};

const FORMS: readonly { readonly form: RegExp; readonly read: (match: RegExpExecArray) => Missing }[] = [
  {
    form: /couldn't find key (\S+) in (Secret|ConfigMap) (?:[^\s/]+\/)?([a-z0-9.-]+)/,
    read: (m) => ({ source: m[2] === 'Secret' ? 'Secret' : 'ConfigMap', name: trimmed(m[3]), key: m[1] ?? '' }),
  },
  {
    form: /references non-existent (secret|config) key: ?(\S+)/,
    read: (m) => ({ source: m[1] === 'secret' ? 'Secret' : 'ConfigMap', name: '', key: trimmed(m[2]) }),
  },
  {
    form: /\b(secret|configmap) "([a-z0-9.-]+)" not found/i,
    read: (m) => ({ source: m[1]?.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap', name: m[2] ?? '' }),
  },
];

interface FoundMissing {
  readonly missing: Missing;
  readonly words: string;
  readonly evidence: readonly EvidenceClaim[];
}

/**
 * The object that the kubelet names as missing, read from events and container states only: no Secret is ever opened. An event about a pod
 * that is in no trouble now, or from before this episode, is about a Secret that has been created since.
 */
function missingIn(view: CaseView, sick: readonly Trouble[]): FoundMissing | undefined {
  const pods = new Set(sick.map(({ pod }) => pod.name));
  const events = (view.events?.value ?? []).filter(
    ({ reason, regarding, lastSeen }) =>
      EVENT_REASONS.includes(reason) &&
      (view.pods === undefined || pods.has(regarding.name)) &&
      isInEpisode(lastSeen, view.episode),
  );
  for (const event of events) {
    const missing = readMissing(event.message);
    const evidence = missing === undefined ? [] : quoteEvent(view, event);
    if (missing !== undefined && evidence.length > 0) return { missing, words: event.message, evidence };
  }
  for (const { pod, message } of sick) {
    const missing = message === undefined ? undefined : readMissing(message);
    const evidence = missing === undefined ? [] : quote(view.pods, `pod ${pod.name} `, 'waiting CreateContainer');
    if (missing !== undefined && evidence.length > 0) return { missing, words: message ?? '', evidence };
  }
  return undefined;
}

const EVENT_REASONS: readonly string[] = ['Failed', 'FailedMount', 'BackOff'];

function readMissing(line: string): Missing | undefined {
  if (ordersIn(line).length > 0) return undefined;
  for (const { form, read } of FORMS) {
    const match = form.exec(line);
    if (match !== null) {
      const missing = read(match);
      if (missing.name !== '') return missing;
    }
  }
  return undefined;
}

function trimmed(text: string | undefined): string {
  return (text ?? '').replace(/[.,;)]{1,16}$/, '');
}
