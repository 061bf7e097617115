import type { ActionSummary } from '@hephaisto/core/report/action';
import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import type { Page } from '@hephaisto/core/report/named';
import type { Alertmanager } from '../../../operator/src/demo/alertmanager/alertmanager.ts';
import type { ApiAnswer, PersonClient } from '../../../operator/src/demo/director/person.ts';
import { NAMESPACES } from '../../../operator/src/demo/kube-client/resource.ts';
import { createPace } from '../../../operator/src/demo/pace.ts';
import { BACKGROUND_BEHAVIOURS, BACKGROUND_MANIFESTS } from '../../../operator/src/demo/stories/background.ts';
import { ALL_UP } from '../../../operator/src/demo/stories/recurring-parts.ts';
import { playStory, type StoryRun } from '../../../operator/src/demo/stories/simulated-world.ts';
import type { StoryId } from '../../../operator/src/demo/stories/story.ts';
import { STORIES } from '../../../operator/src/demo/stories/story-book.ts';
import { type RealCluster, WORLD_SPEED } from './cluster.ts';
import { until } from './until.ts';

/** A story's fault alone in a namespace of its own, without the shop around it and without alerts. */
export interface PlantedFault {
  readonly namespace: string;
  readonly run: StoryRun;
  remove(): Promise<void>;
}

const NO_ALERTS: Alertmanager = {
  url: '',
  put: () => undefined,
  setReceiver: () => undefined,
  close: () => Promise.resolve(),
};
let planted = 0;
const shops = new WeakMap<RealCluster, Promise<void>>();

/** The shop that every story has around it, once for all planted faults: a cluster of which most is ill lets nobody act. */
export function openShop(cluster: RealCluster): Promise<void> {
  const shop = shops.get(cluster) ?? installShop(cluster);
  shops.set(cluster, shop);
  return shop;
}

async function installShop(cluster: RealCluster): Promise<void> {
  const run = await playStory(
    { client: cluster.client, kubelet: cluster.kubelet, alertmanager: NO_ALERTS, pace: createPace(WORLD_SPEED) },
    {
      ...STORIES['bad-rollout'],
      alerts: [],
      behaviours: BACKGROUND_BEHAVIOURS,
      timeline: [{ do: 'apply', note: 'the shop is installed', manifests: BACKGROUND_MANIFESTS }, ALL_UP],
    },
    'shop',
  );
  await run.played;
}

/** Plants the fault and resolves when it shows. The namespace is named after the story, as the demo's policy knows them. */
export async function plantFault(cluster: RealCluster, id: StoryId, word: string): Promise<PlantedFault> {
  await openShop(cluster);
  planted += 1;
  const namespace = `${id}-${word}-${planted}-${Math.floor(Date.now() / 1000)
    .toString(36)
    .slice(-4)}`;
  const story = STORIES[id];
  // The first step installs the shop around the fault; without it a namespace costs five pods instead of thirty.
  const run = await playStory(
    {
      client: cluster.client,
      kubelet: cluster.kubelet,
      alertmanager: NO_ALERTS,
      pace: createPace(WORLD_SPEED),
      onNamespace: () => cluster.allowActing(namespace),
    },
    { ...story, alerts: [], timeline: story.timeline.slice(1) },
    namespace,
  );
  await run.played;
  return {
    namespace,
    run,
    async remove() {
      await run.stop();
      await cluster.client.remove(NAMESPACES, undefined, namespace).catch(() => undefined);
    },
  };
}

/** The namespace's incidents, newest first, whole. */
export async function incidentsIn(person: PersonClient, namespace: string): Promise<readonly IncidentReport[]> {
  const { items } = await person.get<Page<IncidentSummary>>(`/api/v1/incidents?namespace=${namespace}&limit=50`);
  const reports = await Promise.all(items.map(({ id }) => person.get<IncidentReport>(`/api/v1/incidents/${id}`)));
  return reports.toSorted((a, b) => b.number - a.number);
}

/** Waits until the namespace's newest incident is as wanted, and gives it. */
export async function awaitIncident(
  person: PersonClient,
  namespace: string,
  what: string,
  wanted: (incident: IncidentReport) => boolean,
  withinSeconds = 60,
): Promise<IncidentReport> {
  let found: IncidentReport | undefined;
  const told = () =>
    found === undefined
      ? 'no incident'
      : `${found.state} ${found.escalationReason ?? ''} (action ${found.actions[0]?.state ?? 'none'})`;
  await until(
    `the incident in ${namespace} is ${what}`,
    async () => {
      [found] = await incidentsIn(person, namespace);
      return found !== undefined && wanted(found);
    },
    withinSeconds,
  ).catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : String(error)}: ${told()}`);
  });
  if (found === undefined) throw new Error('expected an incident');
  return found;
}

export interface OpenProposal {
  readonly incidentId: string;
  readonly id: string;
  readonly digest: string;
  readonly action: ActionSummary | undefined;
}

/** Waits until a person is asked, and gives what lies on the screen. */
export async function awaitProposal(
  person: PersonClient,
  namespace: string,
  withinSeconds = 60,
): Promise<OpenProposal> {
  const incident = await awaitIncident(
    person,
    namespace,
    'AwaitingApproval',
    ({ state, currentProposal }) => state === 'AwaitingApproval' && currentProposal !== null,
    withinSeconds,
  );
  const { id, digest } = incident.currentProposal ?? { id: '', digest: '' };
  return { incidentId: incident.id, id, digest, action: incident.actions[0] };
}

export function approve(person: PersonClient, { id, digest }: Pick<OpenProposal, 'id' | 'digest'>): Promise<ApiAnswer> {
  return person.post(`/api/v1/proposals/${id}/approve`, { digest, reason: 'a test asks for it' });
}

export function deny(person: PersonClient, { id, digest }: Pick<OpenProposal, 'id' | 'digest'>): Promise<ApiAnswer> {
  return person.post(`/api/v1/proposals/${id}/deny`, { digest, reason: 'a test asks for it' });
}

/** `200 Approved`, or the status with the problem's code. */
export function answerWord({ status, body }: ApiAnswer): string {
  const proposal = body.proposal;
  const state =
    typeof proposal === 'object' && proposal !== null && 'state' in proposal ? String(proposal.state) : undefined;
  return `${status} ${state ?? String(body.code ?? '')}`.trim();
}
