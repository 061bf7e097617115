import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigInput } from '@hephaisto/core/config/schema';
import type { ApiAnswer, PersonClient } from '../../../operator/src/demo/director/person.ts';
import type { SimulatedWorld } from '../../../operator/src/demo/stories/simulated-world.ts';
import type { WorldStep } from '../../../operator/src/demo/stories/story.ts';
import { playStep, type WorldContext } from '../../../operator/src/demo/stories/world-player.ts';
import { alert, webhookBody } from '../../src/alerts.ts';
import { type OperatorProcess, startOperatorProcess } from '../harness/operator.ts';
import type { FaultRule } from '../harness/operator-messages.ts';
import type { Receiver } from './receiver.ts';

/** The process that the supervisor starts again whenever it has died of a fault rule. */
export interface Life {
  readonly config: ConfigInput;
  readonly kubeconfigYaml: string;
  readonly policyText: string;
  readonly folder: string;
  readonly name: string;
  /** One list of rules for each life of the process; none for those after. */
  readonly faults: readonly (readonly FaultRule[])[];
  readonly plant: readonly string[];
  /** Of an action's step, in milliseconds, where the plot is about it. */
  readonly actionLease: number | undefined;
}

/** As they are by default: a busy machine must not look like a dead process. Those of the dead are run out by hand. */
const LEASES = { ttlMs: 10_000, renewMs: 2_500 };
const ACTING = {
  leaseTtlMs: 10_000,
  readbackPausesMs: [0, 100, 200],
  patienceMs: 15_000,
  restoredMs: [100, 400, 1_200] as const,
  retryPausesMs: { first: 100, longest: 1_000 },
  failures: { first: 100, longest: 1_000, most: 8 },
};
/** Generous: a machine that does other things meanwhile may take a while to start a process again. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 40;
const MOST_REFUSALS = 5;

/** The leases that a dead process left behind run out now and not when their time has come; planted ones stay. */
const RUN_OUT = `UPDATE leases SET expires_at = app_now() WHERE released_at IS NULL AND expires_at > app_now()
  AND renewed_at <= $1::timestamptz AND holder ->> 'pod' <> 'planted'`;

/** One run under way: the operator as somebody sees it who does not know that it dies, and the world it looks after. */
export interface Running {
  readonly namespace: string;
  readonly world: SimulatedWorld;
  readonly receiver: Receiver;
  /** Points at which it was killed so far. */
  readonly killedAt: readonly string[];
  /** Bodies that were taken with 2xx. */
  readonly taken: string[];
  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The process that lives now. */
  process(): Promise<OperatorProcess>;
  /** Kills it from outside, without a rule. */
  kill(): Promise<void>;
  step(step: WorldStep): Promise<void>;
  /** Posts alerts as Alertmanager does: again until somebody has taken them. */
  alert(labels: Readonly<Record<string, string>>, status?: 'firing' | 'resolved'): Promise<void>;
  /** Posts alerts once; whether they were taken. */
  tell(alerts: readonly Readonly<Record<string, string>>[]): Promise<boolean>;
  /** Waits until the workload's newest incident is in that state. */
  incident(
    workload: string,
    states: string | readonly string[],
  ): Promise<{ readonly id: string; readonly state: string }>;
  /** A command of a person, made again while nobody answers. Gives what was answered, also when refused. */
  post(subject: string, path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  put(subject: string, path: string, body: object): Promise<ApiAnswer>;
  approve(workload: string, subject?: string): Promise<ApiAnswer>;
  until(what: string, holds: () => Promise<boolean> | boolean): Promise<void>;
  /** Throws what went wrong with the process itself. */
  close(): Promise<void>;
}

export function startRunning(
  life: Life,
  world: SimulatedWorld,
  receiver: Receiver,
  context: WorldContext,
  token: string,
): Running {
  const killedAt: string[] = [];
  const taken: string[] = [];
  const people = new Map<string, PersonClient>();
  let lives = 0;
  let closed = false;
  let planted = false;
  let refusals = 0;
  let diedAt: string | undefined;
  let trouble: unknown;
  let current: Promise<OperatorProcess> = live();

  /** Starts the process, and again after each death that a rule brought; any other death is a fault of the product. */
  async function live(): Promise<OperatorProcess> {
    for (;;) {
      const faults = life.faults[lives] ?? [];
      lives += 1;
      const before = killedAt.length;
      try {
        const operator = await startOperatorProcess({
          name: life.name,
          folder: life.folder,
          config: life.config,
          kubeconfigYaml: life.kubeconfigYaml,
          policyText: life.policyText,
          actingSettings: { ...ACTING, leaseTtlMs: life.actionLease ?? ACTING.leaseTtlMs },
          leaseTimes: LEASES,
          faults,
          onFault: (point) => {
            if (faults.some((rule) => rule.point === point && rule.does === 'kill')) killedAt.push(point);
          },
        });
        if (diedAt !== undefined) await operator.query(RUN_OUT, [diedAt]);
        if (!planted) for (const statement of life.plant) await operator.query(statement);
        planted = true;
        void operator.gone.then(() => {
          diedAt = new Date().toISOString();
          if (closed) return;
          if (killedAt.length === before)
            trouble ??= new Error(`the operator ended by itself; see ${operator.logFile}`);
          current = live();
          current.catch(() => undefined);
        });
        return operator;
      } catch (error: unknown) {
        if (killedAt.length > before) diedAt = new Date().toISOString();
        // What refuses to start because nobody answers it is started again, as an orchestrator would.
        else if (!closed && refusals < MOST_REFUSALS && String(error).includes('start again')) refusals += 1;
        else {
          trouble ??= error;
          throw error;
        }
      }
    }
  }
  current.catch(() => undefined);

  /** Tries until it works; an operator that is dead, or dies meanwhile, is no answer. */
  async function insist<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + PATIENCE_MS;
    let last: unknown;
    for (;;) {
      if (trouble !== undefined) throw trouble;
      try {
        const value = await attempt();
        if (value !== undefined) return value;
        last = undefined;
      } catch (error: unknown) {
        last = error;
      }
      if (Date.now() > end)
        throw new Error(`expected ${what} in time, found ${last === undefined ? 'nothing' : String(last)}`);
      await sleep(LOOK_MS);
    }
  }

  const rows: Running['rows'] = (text, values) =>
    insist(`rows of \`${text}\``, async () => (await current).query(text, values));

  async function person(subject: string): Promise<PersonClient> {
    const known = people.get(subject);
    if (known !== undefined) return known;
    const client = await (await current).signIn(subject);
    people.set(subject, client);
    return client;
  }

  async function deliver(body: Uint8Array): Promise<boolean> {
    const { url } = await current;
    const answer = await fetch(`${url}/webhooks/alertmanager`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(30_000),
    });
    await answer.arrayBuffer();
    return answer.ok;
  }

  function command(
    verb: 'post' | 'put',
    subject: string,
    path: string,
    body: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer> {
    return insist(`an answer to ${verb} ${path}`, async () => {
      const answer = await (await person(subject))[verb](path, body, headers);
      if (answer.status === 401) people.delete(subject);
      return answer.status === 401 || answer.status >= 500 ? undefined : answer;
    });
  }

  const last = new Map<string, string>();
  const running: Running = {
    namespace: context.namespace,
    world,
    receiver,
    killedAt,
    taken,
    rows,
    process: () => current,
    async kill() {
      const operator = await current;
      killedAt.push('outside');
      operator.signal('SIGKILL');
      await operator.gone;
    },
    step: (step) => playStep(context, step),
    async alert(labels, status = 'firing') {
      const body = webhookBody([alert({ labels: { severity: 'critical', ...labels }, status })]);
      await insist('the alert to be taken', async () => ((await deliver(body)) ? true : undefined));
      taken.push(labels.alertname ?? '');
    },
    tell: (alerts) => deliver(webhookBody(alerts.map((labels) => alert({ labels })))).catch(() => false),
    incident: (workload, states) =>
      insist(`an incident of ${workload} in ${String(states)}`, async () => {
        const [found] = await (await current).query<{ id: string; state: string }>(
          'SELECT id, state FROM incidents WHERE owner_name = $1 ORDER BY created_at DESC LIMIT 1',
          [workload],
        );
        if (found !== undefined && [states].flat().includes(found.state)) return found;
        last.set(workload, found?.state ?? 'none');
        return undefined;
      }).catch((error: unknown) => {
        throw new Error(`${error instanceof Error ? error.message : String(error)}; it is ${last.get(workload)}`);
      }),
    post: (subject, path, body, headers) => command('post', subject, path, body, headers),
    put: (subject, path, body) => command('put', subject, path, body),
    async approve(workload, subject = 'ana') {
      const { id } = await running.incident(workload, 'AwaitingApproval');
      const [proposal] = await rows<{ id: string; digest: string }>(
        `SELECT p.id, p.digest FROM proposals p JOIN actions a ON a.id = p.action_id WHERE a.incident_id = $1
         ORDER BY p.created_at DESC LIMIT 1`,
        [id],
      );
      if (proposal === undefined) throw new Error(`expected a proposal for ${workload}, found none`);
      return running.post(subject, `/api/v1/proposals/${proposal.id}/approve`, {
        digest: proposal.digest,
        reason: 'as shown',
      });
    },
    async until(what, holds) {
      await insist(what, async () => ((await holds()) ? true : undefined));
    },
    async close() {
      closed = true;
      await (await current.catch(() => undefined))?.stop();
      if (trouble !== undefined) throw trouble;
    },
  };
  return running;
}
