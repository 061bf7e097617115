import { randomBytes } from 'node:crypto';
import { ACTION_TYPES } from '@hephaisto/core/action/types';
import type { ConfigInput } from '@hephaisto/core/config/schema';
import type { PolicyFileInput } from '@hephaisto/policy/policy-file';
import { systemClock } from '../../../operator/src/adapters/clock/clock.ts';
import { createIds } from '../../../operator/src/adapters/ids/ids.ts';
import type { TokenSubject } from '../../../operator/src/demo/cluster/access/tokens.ts';
import { ADMIN } from '../../../operator/src/demo/cluster/simulated-cluster.ts';
import { demoInput } from '../../../operator/src/demo/demo-config.ts';
import {
  allowActing,
  createOperatorIdentity,
  OPERATOR,
} from '../../../operator/src/demo/identity/operator-identity.ts';
import { CONFIG_MAPS } from '../../../operator/src/demo/kube-client/resource.ts';
import { createPace } from '../../../operator/src/demo/pace.ts';
import { type SimulatedWorld, startSimulatedWorld } from '../../../operator/src/demo/stories/simulated-world.ts';
import { createStoryNamespace, playTimeline } from '../../../operator/src/demo/stories/world-player.ts';
import { freePorts } from '../../world/child.ts';
import { noteRequests } from '../harness/asked.ts';
import type { DatabaseInput } from '../harness/databases.ts';
import type { FaultRule } from '../harness/operator-messages.ts';
import { differences } from './invariants.ts';
import type { Plot } from './plot.ts';
import { startReceiver } from './receiver.ts';
import { startRunning } from './running.ts';

const SPEED = 100;
const NAMESPACE = 'shop';

export interface RunResult {
  readonly differences: readonly string[];
  readonly killedAt: readonly string[];
  readonly ms: number;
}

/** Plays one plot on a cluster of its own, with the operator killed as the rules say, and gives everything that is not as it must be. */
export async function playRun(options: {
  readonly plot: Plot;
  readonly database: DatabaseInput;
  readonly folder: string;
  readonly name: string;
  readonly faults: readonly (readonly FaultRule[])[];
  /** Last word on the configuration. */
  readonly adjust?: (config: ConfigInput) => ConfigInput;
  /** The operator's kubeconfig, where it is another one than that of its account with a token for a day. */
  readonly kubeconfig?: (world: SimulatedWorld, account: TokenSubject) => string;
}): Promise<RunResult> {
  const { plot } = options;
  const started = Date.now();
  const closing: (() => Promise<void> | void)[] = [];
  try {
    const pace = createPace(SPEED);
    const world = await startSimulatedWorld({
      pace,
      ids: createIds(systemClock),
      random: Math.random,
      onTrouble: () => undefined,
    });
    closing.push(() => world.close());
    noteRequests(world.cluster.requests);
    const receiver = await startReceiver();
    closing.push(() => receiver.close());
    const admin = world.cluster.kubeconfigFor(ADMIN);
    await createOperatorIdentity(admin);
    await world.client.patch(CONFIG_MAPS, OPERATOR.namespace, OPERATOR.configMap, [
      { op: 'replace', path: '/data', value: { mode: plot.mode } },
    ]);
    const stop = new AbortController();
    closing.push(() => stop.abort());
    const context = { client: world.client, pace, namespace: NAMESPACE, signal: stop.signal };
    world.kubelet.setBehaviours(NAMESPACE, plot.behaviours ?? []);
    await createStoryNamespace(context);
    await allowActing(admin, NAMESPACE);
    const token = randomBytes(24).toString('base64url');
    const [port] = (await freePorts(1)) as [number];
    const { namespace, serviceAccount: account } = OPERATOR;
    const subject = { serviceAccount: { namespace, name: account } };
    const places = { port, token, alertmanager: world.alertmanager.url, receiver: receiver.url };
    const config = configOf(plot, options.database, places);
    const running = startRunning(
      {
        config: options.adjust?.(config) ?? config,
        kubeconfigYaml: options.kubeconfig?.(world, subject) ?? world.cluster.kubeconfigFor(subject),
        policyText: policyOf(plot),
        folder: options.folder,
        name: options.name,
        faults: options.faults,
        plant: plot.plant ?? [],
        actionLease: plot.actionLease,
      },
      world,
      receiver,
      context,
      token,
    );
    closing.push(() => running.close());
    const played = playTimeline(context, plot.timeline ?? []);
    await Promise.all([played, plot.play(running)]);
    const found = await settled(() => differences(running, plot, `system:serviceaccount:${namespace}:${account}`));
    return { differences: found, killedAt: running.killedAt, ms: Date.now() - started };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** What is under way when the story has ended, such as its last message, gets the time to end. */
async function settled(look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const end = Date.now() + 15_000;
  for (;;) {
    const found = await look();
    if (found.length === 0 || Date.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

function configOf(
  plot: Plot,
  database: DatabaseInput,
  places: { readonly port: number; readonly token: string; readonly alertmanager: string; readonly receiver: string },
): ConfigInput {
  const input = demoInput({
    port: places.port,
    folder: '',
    speed: 20,
    alertmanagerUrl: places.alertmanager,
    webhookToken: places.token,
  });
  return {
    ...input,
    database,
    server: { ...input.server, maxEventLoopDelay: '10m' },
    ingest: { ...input.ingest, watch: { ...input.ingest?.watch, firstCrash: '50ms', heal: '200ms' } },
    incidents: { quiet: '1h', stormLimit: 200, ...plot.incidents },
    acting: { ...input.acting, initialMode: plot.mode, recheck: '300ms' },
    notify: {
      webhooks: [{ name: 'crew', url: places.receiver, secret: 'not-a-secret-in-a-test' }],
      routes: [{ name: 'crew', to: 'crew' }],
      firstRetry: '100ms',
      timeout: '1s',
      cooldown: '1ms',
    },
    telemetry: { logLevel: 'info' },
  };
}

function policyOf(plot: Plot): string {
  const policy: PolicyFileInput = {
    version: 1,
    namespaces: [
      {
        match: NAMESPACE,
        kinds: [...ACTION_TYPES],
        mode: plot.mode,
        bounds: { memory: { max: '8Gi', maxFactor: 4 }, replicas: { min: 1, max: 20 } },
        podAge: '1ms',
        maxPods: 50,
        maxFraction: 1,
      },
    ],
    budgets: { perHour: 100, perDay: 300, perNamespaceHour: 100 },
    clusterHealth: { maxUnreadyPods: 1, maxUnreadyNodes: 1 },
    verification: { times: ['300ms', '900ms', '1800ms'] },
    ...plot.policy,
  };
  return JSON.stringify(policy);
}
