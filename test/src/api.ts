import { parseConfig } from '@hephaisto/core/config/parse';
import type { Config } from '@hephaisto/core/config/schema';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import type { Switch } from '@hephaisto/core/report/installation';
import { systemClock, systemTimers } from '@hephaisto/operator/adapters/clock/clock';
import { createIds } from '@hephaisto/operator/adapters/ids/ids';
import { createMetrics } from '@hephaisto/operator/adapters/metrics/metrics';
import { NO_TRACER } from '@hephaisto/operator/adapters/tracing/tracer';
import { seedPeople } from '@hephaisto/operator/api/auth/people';
import { createSignInLink } from '@hephaisto/operator/api/auth/sessions';
import type { ApiCommands } from '@hephaisto/operator/api/commands';
import type { ApiDeps } from '@hephaisto/operator/api/deps';
import { startApi } from '@hephaisto/operator/api/server';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** Everybody who signs in in tests; `nina` reads one namespace only. */
export const PEOPLE = [
  { subject: 'ana', name: 'Ana', grants: [{ role: 'approver', namespace: '' }] },
  { subject: 'ben', name: 'Ben', grants: [{ role: 'approver', namespace: '' }] },
  { subject: 'rui', name: 'Rui', grants: [{ role: 'responder', namespace: '' }] },
  { subject: 'ada', name: 'Ada', grants: [{ role: 'admin', namespace: '' }] },
  { subject: 'vic', name: 'Vic', grants: [{ role: 'viewer', namespace: '' }] },
  { subject: 'nina', name: 'Nina', grants: [{ role: 'approver', namespace: 'shop' }] },
  { subject: 'nobody', name: 'Nobody', grants: [] },
] as const;
export type PersonName = (typeof PEOPLE)[number]['subject'];

export const WEBHOOK_TOKEN = 'a-webhook-token-for-tests';

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export interface SignedIn {
  readonly cookie: string;
  readonly csrfToken: string;
}

export interface CallOptions {
  readonly as?: SignedIn;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Left out of the request although the session has one. */
  readonly withoutCsrf?: boolean;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; an empty object when it is no JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApiUnderTest extends AsyncDisposable {
  readonly db: TestDatabase;
  readonly url: string;
  /** What the commands were called with, in order. */
  readonly commanded: readonly { readonly name: string; readonly command: Readonly<Record<string, unknown>> }[];
  signIn(subject: PersonName): Promise<SignedIn>;
  link(subject: PersonName): Promise<string>;
  call(path: string, options?: CallOptions): Promise<CallAnswer>;
  /** Stops the server and starts another on the same database, as after a crash or a deployment. The address changes. */
  restart(): Promise<void>;
}

export interface ApiOptions {
  readonly config?: Record<string, unknown>;
  readonly commands?: Partial<ApiCommands>;
  readonly deps?: Partial<ApiDeps>;
  readonly db?: TestDatabase;
}

/** The API on a free port over a fresh embedded database, with people but without a cluster. */
export async function startTestApi(options: ApiOptions = {}): Promise<ApiUnderTest> {
  const db = options.db ?? (await createTestDatabase());
  await db.transaction((tx) =>
    seedPeople(
      tx,
      PEOPLE.map((p) => ({ ...p, grants: p.grants.map((g) => ({ ...g })), identities: [] })),
    ),
  );
  const ids = createIds(systemClock);
  const commanded: { name: string; command: Readonly<Record<string, unknown>> }[] = [];
  const deps = apiDeps(db, commanded, options);
  let server = await startApi(deps);

  async function call(path: string, given: CallOptions = {}): Promise<CallAnswer> {
    const method = given.method ?? (given.body === undefined ? 'GET' : 'POST');
    const response = await fetch(`${server.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(given.as === undefined ? {} : { cookie: given.as.cookie }),
        ...(given.as === undefined || method === 'GET' || given.withoutCsrf === true
          ? {}
          : { 'x-csrf-token': given.as.csrfToken }),
        ...given.headers,
      },
      ...(given.body === undefined
        ? {}
        : { body: typeof given.body === 'string' ? given.body : JSON.stringify(given.body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  }

  async function link(subject: PersonName): Promise<string> {
    return createSignInLink(db, ids, { subject, madeBy: null, lifeMs: 600_000 });
  }

  return {
    db,
    commanded,
    get url() {
      return server.url;
    },
    link,
    async signIn(subject) {
      const answer = await call('/api/v1/session', { body: { token: await link(subject) } });
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      return { cookie, csrfToken: String(answer.body.csrfToken) };
    },
    call,
    async restart() {
      await server.close();
      server = await startApi(deps);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await db.close();
    },
  };
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function testConfig(overrides: Record<string, unknown> = {}): Config {
  const { server, ...others } = overrides;
  // A busy machine must not make the server refuse what a test asks for.
  const parsed = parseConfig({ server: { port: 0, maxEventLoopDelay: '10m', ...(server ?? {}) }, ...others }, {});
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

function apiDeps(
  db: TestDatabase,
  commanded: { name: string; command: Readonly<Record<string, unknown>> }[],
  options: ApiOptions,
): ApiDeps {
  const metrics = createMetrics('test');
  return {
    db,
    clock: systemClock,
    timers: systemTimers,
    ids: createIds(systemClock),
    log: SILENT,
    metrics,
    tracer: NO_TRACER.tracer,
    config: testConfig(options.config),
    version: '0.0.0-test',
    commands: recordingCommands(commanded, options.commands ?? {}),
    webhookToken: WEBHOOK_TOKEN,
    switches: () => readSwitchesForTests(db),
    components: () => Promise.resolve([]),
    readiness: () => Promise.resolve([{ name: 'database', ready: true, message: 'answers' }]),
    policyHash: () => null,
    exposeMetrics: () => metrics.expose(),
    ...options.deps,
  };
}

/** Commands that succeed and are remembered, except those a test gives. */
function recordingCommands(
  commanded: { name: string; command: Readonly<Record<string, unknown>> }[],
  own: Partial<ApiCommands>,
): ApiCommands {
  function recorded<C extends object, R>(name: string, answer: (command: C) => Promise<R>): (command: C) => Promise<R> {
    return (command) => {
      commanded.push({ name, command: { ...command } as Readonly<Record<string, unknown>> });
      return answer(command);
    };
  }
  const done = () => Promise.resolve({ kind: 'done' } as const);
  return {
    close: recorded('close', own.close ?? done),
    stopInvestigation: recorded('stopInvestigation', own.stopInvestigation ?? done),
    reinvestigate: recorded('reinvestigate', own.reinvestigate ?? done),
    acknowledge: recorded('acknowledge', own.acknowledge ?? done),
    assign: recorded('assign', own.assign ?? done),
    note: recorded('note', own.note ?? done),
    setSwitch: recorded('setSwitch', own.setSwitch ?? done),
    decide: recorded(
      'decide',
      own.decide ??
        (({ proposalId }) =>
          Promise.resolve({ kind: 'voted', proposal: { id: proposalId, state: 'Open' }, votes: 1, quorum: 2 })),
    ),
    revise: recorded('revise', own.revise ?? (({ proposalId }) => Promise.resolve({ kind: 'revised', proposalId }))),
  };
}

async function readSwitchesForTests(db: TestDatabase): Promise<readonly Switch[]> {
  const rows = await db.query<{ name: string; value: string; version: number }>(
    'SELECT name, value, version FROM switches',
  );
  const names = ['emergency_stop', 'agent_mode'];
  return names.map((name) => {
    const row = rows.find((candidate) => candidate.name === name);
    const value = row?.value ?? (name === 'emergency_stop' ? 'off' : 'observe');
    return {
      name,
      value,
      effective: value,
      arms: { database: value },
      reason: null,
      setBy: null,
      setAt: null,
      version: row?.version ?? 0,
    };
  });
}
