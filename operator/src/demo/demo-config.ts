import { ACTION_TYPES } from '@hephaisto/core/action/types';
import { parseConfig } from '@hephaisto/core/config/parse';
import type { Config, ConfigInput } from '@hephaisto/core/config/schema';
import type { PolicyFileInput } from '@hephaisto/policy/policy-file';
import { OPERATOR } from './identity/operator-identity.ts';
import { STORIES } from './stories/story-book.ts';

/** The demo's people. Roles are enforced by the server as for anybody else. */
export const PEOPLE = [
  { subject: 'ana', name: 'Ana', role: 'approver' },
  { subject: 'ben', name: 'Ben', role: 'approver' },
  { subject: 'rui', name: 'Rui', role: 'responder' },
  { subject: 'ada', name: 'Ada', role: 'admin' },
  { subject: 'vic', name: 'Vic', role: 'viewer' },
] as const;

/** Who may be given to `--approve-as`. */
export const APPROVERS: readonly string[] = PEOPLE.filter(({ role }) => role === 'approver').map(
  ({ subject }) => subject,
);

/** Waits of the product that the demo shortens, in seconds as they are by default. Divided by the speed; clocks, leases and budgets are not. */
const WATCH_SECONDS = {
  firstCrash: 60,
  rolloutCrash: 45,
  imagePull: 60,
  unschedulable: 60,
  config: 5,
  notReady: 120,
  notReadyAlone: 600,
  replicas: 600,
  node: 10,
  warning: 60,
  heal: 120,
  repeatChanged: 30,
} as const;

/** Times after an action at which the story's world is asked; shorter than the defaults of a minute, five and fifteen. */
const VERIFICATION_SECONDS = [15, 60, 180] as const;
const POD_AGE_SECONDS = 10;
const QUIET_SECONDS = 600;
const RECHECK_SECONDS = 5;
const SETTLE_SECONDS = 10;
const AGAIN_AFTER_SECONDS = 10;
/** The least that the configuration accepts between two reads of the same thing. */
const MIN_PAUSE_MS = 100;

/** What the demo does to time and limits, in sentences for whoever watches. */
export function compressed(speed: number): readonly string[] {
  return [
    `waiting is divided by ${speed}: back-off, delays of the watch, quiet periods, controllers`,
    `an action is checked after ${VERIFICATION_SECONDS.join(', ')} seconds divided by ${speed} instead of 1, 5 and 15 minutes`,
    `pods count as young for ${POD_AGE_SECONDS} seconds divided by ${speed} instead of 2 minutes`,
    'budgets and the storm limit are higher, so that all stories can be played in one hour',
    'every gate of the policy is on, and nothing acts without a person',
  ];
}

export interface DemoSettings {
  readonly port: number;
  /** Of the embedded database. */
  readonly folder: string;
  readonly speed: number;
  readonly alertmanagerUrl: string;
  readonly webhookToken: string;
}

/** The demo's configuration as a file would say it. */
export function demoInput(settings: DemoSettings): ConfigInput {
  const { speed } = settings;
  return {
    server: { port: settings.port, alertmanager: { token: settings.webhookToken }, requestsPerMinute: 100_000 },
    database: { kind: 'embedded', folder: settings.folder },
    kubernetes: { displayName: 'demo' },
    ingest: { watch: divided(WATCH_SECONDS, speed) },
    incidents: { quiet: wait(QUIET_SECONDS, speed), stormLimit: 200 },
    investigation: {
      settle: wait(SETTLE_SECONDS, speed),
      againAfter: wait(AGAIN_AFTER_SECONDS, speed, MIN_PAUSE_MS),
    },
    acting: {
      initialMode: 'approve',
      configMap: { namespace: OPERATOR.namespace, name: OPERATOR.configMap },
      alertmanager: { url: settings.alertmanagerUrl },
      recheck: wait(RECHECK_SECONDS, speed, MIN_PAUSE_MS),
    },
    auth: {
      adminLink: false,
      signInLinkLife: '1h',
      people: PEOPLE.map(({ subject, name, role }) => ({ subject, name, grants: [{ role }] })),
    },
    telemetry: { logLevel: 'error' },
  };
}

/** The same, read by the same schema as a file. */
export function demoConfig(settings: DemoSettings): Config {
  const parsed = parseConfig(demoInput(settings), {});
  if (parsed.kind === 'refused')
    throw new Error(`expected the demo's configuration to be valid, found ${JSON.stringify(parsed.problems)}`);
  return parsed.config;
}

/** The demo's policy, as text of the same file that an installation would have. */
export function demoPolicy(speed: number): string {
  // The narrower pattern first: a rule behind a wider one never applies, and the policy refuses it.
  const stories = Object.values(STORIES).toSorted((a, b) => b.id.length - a.id.length);
  const rules = stories.map((story) => ({
    match: `${story.id}-*`,
    kinds: [...ACTION_TYPES],
    mode: 'approve' as const,
    quorum: story.approvers,
    bounds: {
      memory: { max: '8Gi', maxFactor: 4 },
      cpu: { max: '4', maxFactor: 2 },
      replicas: { min: 1, max: 20 },
    },
    podAge: wait(POD_AGE_SECONDS, speed),
  }));
  const policy: PolicyFileInput = {
    version: 1,
    note: compressed(speed).join('; '),
    namespaces: rules,
    budgets: { perHour: 100, perDay: 300, perNamespaceHour: 10 },
    verification: { times: VERIFICATION_SECONDS.map((seconds) => wait(seconds, speed)) as [string, string, string] },
  };
  return JSON.stringify(policy);
}

/** A length of time as configuration writes it, divided by the speed, but not below what the configuration accepts. */
function wait(seconds: number, speed: number, leastMs = 1): string {
  return `${Math.max(leastMs, Math.round((seconds * 1000) / speed))}ms`;
}

function divided<Name extends string>(waits: Readonly<Record<Name, number>>, speed: number): Record<Name, string> {
  return Object.fromEntries(
    Object.entries<number>(waits).map(([name, seconds]) => [name, wait(seconds, speed)]),
  ) as Record<Name, string>;
}
