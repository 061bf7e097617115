import { randomBytes } from 'node:crypto';
import type { ConfigInput } from '@hephaisto/core/config/schema';
import { demoInput, demoPolicy, PEOPLE } from '../../../operator/src/demo/demo-config.ts';
import type { PersonClient } from '../../../operator/src/demo/director/person.ts';
import type { World } from '../../world/world.ts';
import type { RealCluster } from './cluster.ts';
import type { DatabaseInput } from './databases.ts';
import { type OperatorProcess, type OperatorSettings, startOperatorProcess } from './operator.ts';

export interface ActorSettings {
  readonly name: string;
  readonly speed: number;
  readonly database: DatabaseInput;
  /** Namespaces that others' tests play in. */
  readonly ignoreNamespaces?: readonly string[];
  readonly policyText?: string;
  /** Of Alertmanager's webhook; a new one when absent. */
  readonly token?: string;
  /** Last word on the configuration. */
  readonly adjust?: (config: ConfigInput) => ConfigInput;
}

/** An operator as the demo configures one, against the real cluster, with the demo's people signed in. */
export interface Actor {
  readonly operator: OperatorProcess;
  readonly token: string;
  readonly people: Readonly<Record<(typeof PEOPLE)[number]['subject'], PersonClient>>;
}

/** The configuration of the demo for the real world: its own database, its own account through the proxy, the world's Alertmanager. */
export function actorConfig(world: World, cluster: RealCluster, settings: ActorSettings, token: string): ConfigInput {
  const input = demoInput({
    port: 0,
    folder: world.folder,
    speed: settings.speed,
    alertmanagerUrl: world.alertmanager?.url ?? '',
    webhookToken: token,
  });
  const config: ConfigInput = {
    ...input,
    // A machine that plays cluster, people and operators at once makes everybody wait; nobody here is turned away for it.
    server: { ...input.server, maxEventLoopDelay: '1m' },
    database: settings.database,
    kubernetes: { access: 'kubeconfig', kubeconfig: cluster.operatorKubeconfig, displayName: 'real' },
    ingest: {
      ...input.ingest,
      watch: { ...input.ingest?.watch, ignoreNamespaces: [...(settings.ignoreNamespaces ?? [])] },
    },
    telemetry: { logLevel: 'info' },
  };
  return settings.adjust?.(config) ?? config;
}

export async function startActor(
  world: World,
  cluster: RealCluster,
  settings: ActorSettings,
  process_: Partial<Pick<OperatorSettings, 'faults' | 'actingSettings' | 'nodeFlags'>> = {},
): Promise<Actor> {
  const token = settings.token ?? randomBytes(24).toString('base64url');
  const operator = await startOperatorProcess({
    name: settings.name,
    folder: world.folder,
    config: actorConfig(world, cluster, settings, token),
    policyText: settings.policyText ?? demoPolicy(settings.speed),
    ...process_,
  });
  return { operator, token, people: await signEveryoneIn(operator) };
}

export async function signEveryoneIn(operator: OperatorProcess): Promise<Actor['people']> {
  const entries = await Promise.all(
    PEOPLE.map(async ({ subject }) => [subject, await operator.signIn(subject)] as const),
  );
  return Object.fromEntries(entries) as Actor['people'];
}
