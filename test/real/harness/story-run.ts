import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import type { Page } from '@hephaisto/core/report/named';
import type { Signal } from '@hephaisto/core/report/signal';
import type { Alertmanager } from '../../../operator/src/demo/alertmanager/alertmanager.ts';
import type { PersonClient } from '../../../operator/src/demo/director/person.ts';
import { runStory, type StoryResult } from '../../../operator/src/demo/director/run-story.ts';
import type { SeenWrite } from '../../../operator/src/demo/director/seen.ts';
import type { Pace } from '../../../operator/src/demo/pace.ts';
import type { AlertSource } from '../../../operator/src/demo/stories/alert-source.ts';
import type { Story } from '../../../operator/src/demo/stories/story.ts';
import { type AuditEntry, auditOfOperator, forbiddenOf, spell, writesOf } from './audit.ts';
import type { Actor } from './casting.ts';
import type { RealCluster } from './cluster.ts';

export interface StoryOnReal {
  readonly cluster: RealCluster;
  readonly actor: Actor;
  readonly alertmanager: Alertmanager;
  readonly pace: Pace;
  readonly story: Story;
  readonly namespace: string;
  /** Where alerts that must arrive come from: posted in Prometheus's place, or by itself over scraped metrics. Absent: none need arrive. */
  readonly alerts?: 'posted' | 'scraped';
  /** Abandons the story. */
  readonly signal: AbortSignal;
  say(line: string): void;
}

/** Plays a story on the real control plane and gives what differed from what it promises, the audit log's word included. */
export async function playOnReal(
  run: StoryOnReal,
): Promise<{ readonly result: StoryResult; readonly differences: readonly string[] }> {
  const { cluster, actor, alertmanager, pace, story, namespace } = run;
  let approvedAt = Number.POSITIVE_INFINITY;
  const noted = (person: PersonClient): PersonClient => ({
    ...person,
    async post(path, body) {
      const sentAt = Date.now();
      const answer = await person.post(path, body);
      const proposal = answer.body.proposal;
      const approved =
        answer.status === 200 &&
        typeof proposal === 'object' &&
        proposal !== null &&
        'state' in proposal &&
        proposal.state === 'Approved';
      if (path.endsWith('/approve') && approved) approvedAt = Math.min(approvedAt, sentAt);
      return answer;
    },
  });
  const { ana, ben, rui, ada, vic } = actor.people;
  const entries = async () =>
    (await auditOfOperator(cluster.auditLog)).filter((entry) => entry.namespace === namespace);
  cluster.kubelet.setPace(namespace, pace);
  const result = await runStory(
    {
      stage: { client: cluster.client, kubelet: cluster.kubelet, alertmanager, pace },
      onlooker: vic,
      people: { approver: noted(ana), 'other-approver': noted(ben), responder: noted(rui), admin: noted(ada) },
      allowActing: (name) => cluster.allowActing(name),
      writesIn: async () => writesOf(await entries()).map(seen),
      say: run.say,
    },
    { ...story, alerts: story.alerts.map(patient) },
    namespace,
    run.signal,
  );
  const differences = [
    ...result.differences,
    ...unlawful(await entries(), approvedAt),
    ...(await withoutAlerts(vic, run)),
  ];
  return { result, differences: differences.length === 0 ? [] : [...differences, ...(await told(vic, namespace))] };
}

/** A story whose verification asks Alertmanager must have heard of the alert from it; one that is scraped, with the label a scrape leaves. */
async function withoutAlerts(onlooker: PersonClient, run: StoryOnReal): Promise<readonly string[]> {
  const asked = run.story.expected.incidents.some(({ verifications }) =>
    verifications.some(({ predicate }) => predicate === 'alert'),
  );
  if (!asked || run.alerts === undefined) return [];
  const { items } = await onlooker.get<Page<Signal>>(`/api/v1/signals?namespace=${run.namespace}&limit=200`);
  const alerts = items.filter(({ source }) => source === 'alertmanager');
  if (alerts.length === 0) return ['expected an alert by webhook, found none'];
  if (run.alerts === 'posted' || alerts.every(({ labels }) => labels.instance !== undefined)) return [];
  return ['expected alerts over scraped metrics, found one without the label `instance`'];
}

/** What the product says of the namespace's incidents, for whoever looks into a story that went otherwise. */
async function told(onlooker: PersonClient, namespace: string): Promise<readonly string[]> {
  const { items } = await onlooker.get<Page<IncidentSummary>>(`/api/v1/incidents?namespace=${namespace}&limit=50`);
  const reports = await Promise.all(items.map(({ id }) => onlooker.get<IncidentReport>(`/api/v1/incidents/${id}`)));
  return reports.flatMap(({ number, title, events, signals, investigations }) => [
    `incident ${number}: ${title}; ${events.map(({ at, to, reason }) => `${at.slice(11, 23)} ${to ?? ''} ${reason ?? ''}`.trim()).join(', ')}`,
    ...events
      .filter(({ to }) => to === 'Escalated')
      .map(({ data }) => `  escalated with ${JSON.stringify(data).slice(0, 2_000)}`),
    ...signals.map(({ source, kind, reason, lastSeenAt }) => `  ${source} ${kind} ${reason} ${lastSeenAt}`),
    ...investigations.flatMap(({ findings, gaps }) => [
      ...findings.map(({ certainty, statement, rule }) => `  ${rule}: ${certainty}: ${statement}`),
      ...gaps.map((gap) => `  gap: ${JSON.stringify(gap)}`),
    ]),
  ]);
}

/**
 * A real control plane on a busy machine takes seconds to make a shop's pods, and compressed rules would call that a fault. The rule on missing
 * replicas waits by far the longest of all where it comes from, too.
 */
export function patient(source: AlertSource): AlertSource {
  const waits = source.kind === 'rule' && source.rule === 'KubeDeploymentReplicasMismatch';
  return waits ? { ...source, forSeconds: source.forSeconds * 6 } : source;
}

function seen(entry: AuditEntry): SeenWrite {
  const { verb, resource, subresource, namespace, name, dryRun, status } = entry;
  return { verb, resource, ...(subresource === '' ? {} : { subresource }), namespace, name, dryRun, status };
}

/** What no story may show, whatever it promises. */
function unlawful(entries: readonly AuditEntry[], approvedAt: number): readonly string[] {
  const early = writesOf(entries).filter((entry) => !entry.dryRun && entry.receivedAt < approvedAt);
  const accepted = writesOf(entries).filter(
    ({ dryRun, verb, subresource, status }) =>
      !dryRun && (verb === 'patch' || verb === 'delete' || subresource === 'eviction') && status < 300,
  );
  return [
    ...early.map((entry) => `expected no write before the approval, found ${spell(entry)}`),
    ...forbiddenOf(entries).map((entry) => `expected no such request ever, found ${spell(entry)}`),
    ...writesOf(entries)
      .filter(({ status, dryRun }) => status >= 400 && !dryRun && status !== 409 && status !== 422)
      .map((entry) => `expected every real write to be within the account's rights, found ${spell(entry)}`),
    ...(accepted.length > 2 ? [`expected at most a change and its undo, found ${accepted.map(spell).join('; ')}`] : []),
  ];
}
