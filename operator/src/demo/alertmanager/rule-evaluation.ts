import type { KubeObject } from '../cluster/object.ts';
import type { KubeClient } from '../kube-client/kube-client.ts';
import { listWatch } from '../kube-client/list-watch.ts';
import type { Pod } from '../kube-client/pod.ts';
import { DEPLOYMENTS, JOBS, PODS, type ResourceType } from '../kube-client/resource.ts';
import type { Deployment, Job } from '../kube-client/workload.ts';
import type { Pace } from '../pace.ts';
import type { AlertSource, RuleName } from '../stories/alert-source.ts';
import type { AlertUpdate } from './alert.ts';
import { trueFor } from './alert-rules.ts';
import { annotationsOf, RULE_TEXTS } from './rule-text.ts';
import { evaluateTrack, type Track, type Tracked } from './rule-track.ts';

export interface RuleEvaluationOptions {
  readonly client: KubeClient;
  readonly pace: Pace;
  readonly namespace: string;
  readonly sources: readonly AlertSource[];
  /** Receives each evaluation's firing and newly resolved alerts. */
  put(alerts: readonly AlertUpdate[]): void;
  onTrouble?(error: unknown): void;
}

const EVERY_MS = 5_000;
/**
 * How long an expression counts as true after it last was. The crash-loop rule looks back (less than its five minutes, like
 * every duration of a story); a waiting reason that alternates with another must not start anew each time.
 */
const LOOK_BACK_MS: Readonly<Partial<Record<RuleName, number>>> = {
  KubePodCrashLooping: 60_000,
  KubeContainerWaiting: 15_000,
};

function generator(expression: string): string {
  return `http://prometheus.simulated/graph?g0.expr=${encodeURIComponent(expression)}&g0.tab=1`;
}

type RuleSource = AlertSource & { readonly kind: 'rule' };

function ruleUpdate(source: RuleSource, tracked: Tracked, forMs: number, endsAt?: Date): AlertUpdate {
  return {
    labels: tracked.labels,
    annotations: { ...annotationsOf(source.rule, tracked.labels), ...source.annotations },
    startsAt: new Date(tracked.since + forMs),
    ...(endsAt === undefined ? {} : { endsAt }),
    generatorURL: generator(RULE_TEXTS[source.rule].expression),
  };
}

function scriptedUpdate(
  source: AlertSource & { readonly kind: 'scripted' },
  namespace: string,
  began: number,
  now: number,
  speed: number,
): AlertUpdate[] {
  const startsAt = began + (source.from * 1000) / speed;
  if (now < startsAt) return [];
  const ends = source.to === undefined ? undefined : began + (source.to * 1000) / speed;
  const fill = (text: string) => text.replaceAll('{namespace}', namespace);
  const filled = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).map(([name, text]) => [name, fill(text)]));
  return [
    {
      labels: filled(source.labels),
      annotations: filled(source.annotations),
      startsAt: new Date(startsAt),
      ...(ends === undefined || now < ends ? {} : { endsAt: new Date(ends) }),
      generatorURL: generator(source.labels.alertname ?? ''),
    },
  ];
}

class Mirror<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  onPut(object: T): void {
    this.#objects.set(object.metadata.name, object);
  }
  onGone(object: T): void {
    this.#objects.delete(object.metadata.name);
  }
  all(): readonly T[] {
    return [...this.#objects.values()];
  }
}

/** Watches one namespace and evaluates the story's alert sources over it, as Prometheus would, until the signal aborts. */
export async function evaluateRules(options: RuleEvaluationOptions, signal: AbortSignal): Promise<void> {
  const { client, pace, namespace, sources, put } = options;
  const [pods, deployments, jobs] = [new Mirror<Pod>(), new Mirror<Deployment>(), new Mirror<Job>()];
  const follow = <T extends KubeObject>(type: ResourceType<T>, mirror: Mirror<T>) =>
    listWatch(
      client,
      type,
      {
        onPut: (object) => mirror.onPut(object),
        onGone: (object) => mirror.onGone(object),
        ...(options.onTrouble === undefined ? {} : { onTrouble: options.onTrouble }),
      },
      { pace, signal, namespace },
    );
  const watching = [follow(PODS, pods), follow(DEPLOYMENTS, deployments), follow(JOBS, jobs)];
  const tracks = new Map<AlertSource, Track>();
  const began = pace.now().getTime();
  while (!signal.aborted) {
    const now = pace.now().getTime();
    const world = { pods: pods.all(), deployments: deployments.all(), jobs: jobs.all() };
    const updates = sources.flatMap((source) => {
      if (source.kind === 'scripted') return scriptedUpdate(source, namespace, began, now, pace.speed);
      const forMs = (source.forSeconds * 1000) / pace.speed;
      const keepMs = (LOOK_BACK_MS[source.rule] ?? 0) / pace.speed;
      const step = evaluateTrack(
        tracks.get(source) ?? new Map(),
        trueFor(source.rule, world, source.workload),
        now,
        forMs,
        keepMs,
      );
      tracks.set(source, step.track);
      return [
        ...step.firing.map((each) => ruleUpdate(source, each, forMs)),
        ...step.resolved.map((each) => ruleUpdate(source, each, forMs, new Date(now))),
      ];
    });
    if (updates.length > 0) put(updates);
    await pace.sleep(EVERY_MS, signal).catch(() => undefined);
  }
  put(endOfAll(sources, tracks, namespace, began, pace));
  await Promise.allSettled(watching);
}

/** What still fires when nobody looks any more ends, as alerts do whose series are gone. */
function endOfAll(
  sources: readonly AlertSource[],
  tracks: ReadonlyMap<AlertSource, Track>,
  namespace: string,
  began: number,
  pace: Pace,
): readonly AlertUpdate[] {
  const now = pace.now();
  return sources.flatMap((source) => {
    if (source.kind === 'scripted') {
      const fired = scriptedUpdate(source, namespace, began, now.getTime(), pace.speed);
      return fired.map((update) => ({ ...update, endsAt: update.endsAt ?? now }));
    }
    const forMs = (source.forSeconds * 1000) / pace.speed;
    const firing = [...(tracks.get(source)?.values() ?? [])].filter((each) => each.firing);
    return firing.map((each) => ruleUpdate(source, each, forMs, now));
  });
}
