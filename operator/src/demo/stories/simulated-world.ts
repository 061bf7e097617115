import type { Ids } from '@hephaisto/core/ports/clock';
import { type Alertmanager, startAlertmanager } from '../alertmanager/alertmanager.ts';
import { evaluateRules } from '../alertmanager/rule-evaluation.ts';
import { ADMIN, type SimulatedCluster, startSimulatedCluster } from '../cluster/simulated-cluster.ts';
import { startControllers } from '../controllers/start-controllers.ts';
import { type KubeClient, kubeClient } from '../kube-client/kube-client.ts';
import { STORY_NODES, type StoryKubelet, startStoryKubelet } from '../kubelet/story-kubelet.ts';
import type { Pace } from '../pace.ts';
import type { Story, WorldStep } from './story.ts';
import { createStoryNamespace, playTimeline, type WorldContext } from './world-player.ts';

/** A cluster with everything a story needs around it, in this process. */
export interface SimulatedWorld {
  readonly cluster: SimulatedCluster;
  readonly alertmanager: Alertmanager;
  readonly kubelet: StoryKubelet;
  /** The people who set the stage; the operator has an identity of its own. */
  readonly client: KubeClient;
  /** Closes in the reverse order of starting. */
  close(): Promise<void>;
}

export interface SimulatedWorldOptions {
  readonly pace: Pace;
  readonly ids: Ids;
  readonly random: () => number;
  readonly port?: number;
  /** By which the cluster is known; a new one when absent. */
  readonly clusterId?: string;
  /** Failed looks and writes of the world's own parts; each is tried again by itself. */
  onTrouble(part: string, error: unknown): void;
}

/** Starts the API server, its controllers, the kubelet of four nodes and the Alertmanager. */
export async function startSimulatedWorld(options: SimulatedWorldOptions): Promise<SimulatedWorld> {
  const { pace, ids, random, onTrouble } = options;
  const port = options.port === undefined ? {} : { port: options.port };
  const known = options.clusterId === undefined ? {} : { clusterId: options.clusterId };
  const cluster = await startSimulatedCluster({ now: () => pace.now(), ids, ...port, ...known });
  const controllers = startControllers({
    store: cluster.store,
    pace,
    random,
    rootCertificate: cluster.caPem,
    onError: (controller, key, error) => onTrouble(`${controller} ${key}`, error),
  });
  const client = kubeClient(cluster.kubeconfigFor(ADMIN), 'story');
  const kubeletClient = kubeClient(cluster.kubeconfigFor(ADMIN), 'kubelet');
  const kubelet = await startStoryKubelet({
    client: kubeletClient,
    pace,
    nodes: STORY_NODES,
    onTrouble: (error) => onTrouble('kubelet', error),
  });
  const alertmanager = await startAlertmanager({ pace });
  return {
    cluster,
    alertmanager,
    kubelet,
    client,
    close: async () => {
      await alertmanager.close();
      await kubelet.close();
      controllers.close();
      client.close();
      kubeletClient.close();
      await cluster.close();
    },
  };
}

/** One run of a story's world in a namespace of its own. */
export interface StoryRun {
  readonly context: WorldContext;
  /** Resolves when the timeline has ended; rejects when the world did not come to be as written. */
  readonly played: Promise<void>;
  /** Ends the run's alert rules and forgets its behaviours; its objects stay. */
  stop(): Promise<void>;
}

/** What playing a story needs of a cluster, simulated or real. */
export interface Stage {
  readonly client: KubeClient;
  readonly kubelet: StoryKubelet;
  readonly alertmanager: Alertmanager;
  readonly pace: Pace;
  /** Once the run's namespace is there and before anything is in it: the place to grant rights in it. */
  onNamespace?(): Promise<void>;
  onStep?(step: WorldStep): void;
  onTrouble?(error: unknown): void;
}

/** Creates the namespace, sets the behaviours, starts the story's alert rules and plays its timeline. */
export async function playStory(stage: Stage, story: Story, namespace: string): Promise<StoryRun> {
  const { client, kubelet, alertmanager, pace } = stage;
  const stop = new AbortController();
  const onStep = stage.onStep;
  const context: WorldContext = {
    client,
    pace,
    namespace,
    signal: stop.signal,
    ...(onStep === undefined ? {} : { onStep }),
  };
  kubelet.setBehaviours(namespace, story.behaviours);
  await createStoryNamespace(context);
  await stage.onNamespace?.();
  const rules = evaluateRules(
    {
      client,
      pace,
      namespace,
      sources: story.alerts,
      put: (alerts) => alertmanager.put(alerts),
      ...(stage.onTrouble === undefined ? {} : { onTrouble: stage.onTrouble }),
    },
    stop.signal,
  );
  const played = playTimeline(context, story.timeline);
  // whoever plays the story hears of it through `played`, at the latest when stopping
  played.catch(() => undefined);
  return {
    context,
    played,
    stop: async () => {
      stop.abort();
      await Promise.allSettled([played, rules]);
      kubelet.forgetNamespace(namespace);
    },
  };
}
