import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '@hephaisto/core/config/schema';
import type { ActingSettings } from '@hephaisto/operator/act/deps';
import type { LeaseTimes } from '@hephaisto/operator/wiring/held-lease';
import { type PersonClient, signIn } from '../../../operator/src/demo/director/person.ts';
import type { FaultRule, FromOperator, ToOperator } from './operator-messages.ts';

export interface OperatorSettings {
  /** Names its log file. */
  readonly name: string;
  readonly folder: string;
  readonly config: ConfigInput;
  /** Instead of what `config.kubernetes` names. */
  readonly kubeconfigYaml?: string;
  /** Instead of what `config.acting.policyFile` names. */
  readonly policyText?: string;
  readonly actingSettings?: Partial<ActingSettings>;
  readonly faults?: readonly FaultRule[];
  readonly leaseTimes?: LeaseTimes;
  /** Of Node; those of a test when absent. */
  readonly nodeFlags?: readonly string[];
  /** Told when the process reaches a fault point with a rule, also before it is ready. */
  readonly onFault?: (point: string) => void;
}

/** An operator in a process of its own. */
export interface OperatorProcess {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  /** A new session of that person, by a one-time link. */
  signIn(subject: string): Promise<PersonClient>;
  /** Replaces the rules for fault points. */
  setFaults(faults: readonly FaultRule[]): void;
  /** Rows of one statement on the operator's own database. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  release(point: string): void;
  /** Resolves when the process has said that it reached a fault point with a rule; at once when it has said so already. */
  reached(point: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  readonly gone: Promise<void>;
  /** Ends it in order; kills it after ten seconds. */
  stop(): Promise<void>;
}

const ENTRY = fileURLToPath(new URL('operator-process.ts', import.meta.url));
/** Operators are started by the hundred; compiling the same code each time would be most of what their start costs. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/node-compile', import.meta.url));
const TEST_FLAGS = ['--disable-warning=ExperimentalWarning'];
const STOP_MS = 10_000;

/** Starts an operator and waits until it serves. Throws with its complaint when it refuses. It dies with us, whatever happens to us. */
export async function startOperatorProcess(settings: OperatorSettings): Promise<OperatorProcess> {
  const logFile = `${settings.folder}/operator-${settings.name}.log`;
  const log = openSync(logFile, 'a');
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', '--', process.execPath, ...(settings.nodeFlags ?? TEST_FLAGS), ENTRY],
    {
      stdio: ['ignore', log, log, 'ipc'],
      env: { PATH: process.env.PATH ?? '', HOME: '/tmp', TZ: 'UTC', NODE_COMPILE_CACHE },
    },
  );
  closeSync(log);
  const inbox = createInbox(child, logFile, settings.onFault);
  let asked = 0;
  send(child, {
    type: 'start',
    config: settings.config,
    ...(settings.kubeconfigYaml === undefined ? {} : { kubeconfigYaml: settings.kubeconfigYaml }),
    ...(settings.policyText === undefined ? {} : { policyText: settings.policyText }),
    actingSettings: settings.actingSettings ?? {},
    faults: settings.faults ?? [],
    ...(settings.leaseTimes === undefined ? {} : { leaseTimes: settings.leaseTimes }),
  });
  const ready = await inbox.next((message) => message.type === 'ready');
  if (ready.type !== 'ready') throw new Error('expected to be told where the operator serves');
  return {
    name: settings.name,
    url: ready.url,
    pid: child.pid ?? 0,
    logFile,
    async signIn(subject) {
      const answer = inbox.next((message) => message.type === 'signed-in' && message.subject === subject);
      send(child, { type: 'sign-in', subject });
      const told = await answer;
      if (told.type !== 'signed-in') throw new Error('expected a sign-in link');
      return signIn(told.url);
    },
    async query<Row>(text: string, values: readonly unknown[] = []) {
      asked += 1;
      const id = asked;
      send(child, { type: 'query', id, text, values });
      const answer = await inbox.next((message) => message.type === 'rows' && message.id === id);
      if (answer.type !== 'rows' || answer.error !== undefined)
        throw new Error(`expected rows, found ${answer.type === 'rows' ? answer.error : answer.type}`);
      return answer.rows as readonly Row[];
    },
    setFaults: (faults) => send(child, { type: 'faults', faults }),
    release: (point) => send(child, { type: 'release', point }),
    reached: async (point) => void (await inbox.next((message) => message.type === 'fault' && message.point === point)),
    signal: (signal) => void child.kill(signal),
    gone: inbox.gone,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await inbox.gone;
      clearTimeout(timer);
    },
  };
}

function send(child: ChildProcess, message: ToOperator): void {
  if (child.connected) child.send(message);
}

/** What the process has said and nobody has asked for yet, so that a message that comes early is not lost. */
function createInbox(child: ChildProcess, logFile: string, onFault: OperatorSettings['onFault']) {
  const kept: FromOperator[] = [];
  const waiting: {
    readonly wants: (message: FromOperator) => boolean;
    readonly resolve: (message: FromOperator) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  const gone = Promise.withResolvers<void>();
  let ended = false;
  const fail = (message: string) => {
    for (const each of waiting.splice(0)) each.reject(new Error(message));
  };
  child.on('message', (message: FromOperator) => {
    if (message.type === 'fault') onFault?.(message.point);
    if (message.type === 'failed') return fail(`expected the operator to do as told, found: ${message.message}`);
    // Everybody who waits for it: one who no longer cares must not take it from one who does.
    const told = waiting.filter((each) => each.wants(message));
    if (told.length === 0) kept.push(message);
    for (const each of told) {
      waiting.splice(waiting.indexOf(each), 1);
      each.resolve(message);
    }
  });
  child.on('error', (error) => fail(error.message));
  child.on('close', () => {
    ended = true;
    fail(`expected the operator to run, found that it ended: ${tail(logFile)}`);
    gone.resolve();
  });
  return {
    gone: gone.promise,
    next(wants: (message: FromOperator) => boolean): Promise<FromOperator> {
      const at = kept.findIndex(wants);
      const found = at < 0 ? undefined : kept.splice(at, 1)[0];
      if (found !== undefined) return Promise.resolve(found);
      if (ended)
        return Promise.reject(new Error(`expected the operator to run, found that it ended: ${tail(logFile)}`));
      return new Promise((resolve, reject) => waiting.push({ wants, resolve, reject }));
    },
  };
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-5).join(' | ').slice(-1500);
}
