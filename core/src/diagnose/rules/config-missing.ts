import { ordersIn } from '../../evidence/taint.ts';
import type { EvidenceClaim } from '../../finding/finding.ts';
import { quote, quoteLine } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { podEvidence } from '../symptom-evidence.ts';
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
    const sick = view.troubles.filter(({ symptom }) => symptom === 'config');
    const found = missingIn(view);
    if (found === undefined || view.about === undefined) return [];
    if (rollout.kind === 'explains' && rollout.comparison.symptom === 'config') return [];
    const { source, name, key } = found.missing;
    const container = sick[0]?.container;
    return finding(configMissing, {
      category: 'configuration',
      statement:
        key === undefined
          ? `${source} ${name} does not exist, and the pod cannot start without it.`
          : `${source} ${name} has no key ${key}, and the pod cannot start without it.`,
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
        ...podEvidence(view, sick, 'config').slice(0, 1),
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

/** What the kubelet's own words name as missing. Read from events and container states only: no Secret is ever opened. */
function missingIn(view: CaseView): { missing: Missing; evidence: readonly EvidenceClaim[] } | undefined {
  const events =
    view.events?.text.split('\n').filter((line) => /^Warning (?:Failed|FailedMount|BackOff) /.test(line)) ?? [];
  const states = view.pods?.text.split('\n').filter((line) => line.includes('waiting CreateContainer')) ?? [];
  for (const [reading, lines] of [
    [view.events, events],
    [view.pods, states],
  ] as const) {
    for (const line of lines) {
      const missing = readMissing(line);
      const claim = missing === undefined || reading === undefined ? undefined : quoteLine(reading, line);
      if (missing !== undefined && claim !== undefined) return { missing, evidence: [claim] };
    }
  }
  return undefined;
}

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
  return (text ?? '').replace(/[.,;)]+$/, '');
}
