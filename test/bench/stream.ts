import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startTestApi } from '../src/api.ts';
import { insertIncident, noteOn } from '../src/incident-rows.ts';

export interface StreamFigures {
  readonly streams: number;
  readonly sessions: number;
  /** CPU of the server for one event, writing it to the log taken off. */
  readonly cpuMs: number;
  /** The same with a single stream. */
  readonly aloneMs: number;
}

const STREAMS = 500;
const SESSIONS = 100;
const EVENTS = 40;
const LISTENERS = fileURLToPath(new URL('./stream-listeners.ts', import.meta.url));

/**
 * CPU that one event costs the server with many live streams, and with one. The listeners run in a process of their own; what it costs to
 * commit the event is measured without any listener and taken off. Events come one after the other, so that none shares a read with another.
 */
export async function measureStreams(): Promise<StreamFigures> {
  await using api = await startTestApi({
    config: { server: { port: 0, maxEventLoopDelay: '10m', requestsPerMinute: 100_000, stream: { perAccount: 1000 } } },
  });
  const incident = await insertIncident(api.db);
  const cookies: string[] = [];
  for (let n = 0; n < SESSIONS; n += 1) cookies.push((await api.signIn('vic')).cookie);
  const write = (n: number) => noteOn(api.db, incident, `event ${n}`);
  for (let n = 0; n < EVENTS; n += 1) await write(n);
  const bare = await cpuOf(write);
  const measured = async (streams: number): Promise<number> => {
    const child = fork(LISTENERS, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    try {
      child.send({ url: api.url, cookies, streams });
      await heard(child, 'ready');
      const told = async (n: number) => {
        const all = heard(child, 'heard');
        await write(n);
        await all;
      };
      for (let n = 0; n < EVENTS; n += 1) await told(n);
      return Math.max(0, (await cpuOf(told)) - bare);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  };
  const aloneMs = await measured(1);
  return { streams: STREAMS, sessions: SESSIONS, cpuMs: await measured(STREAMS), aloneMs };
}

async function heard(child: ChildProcess, what: string): Promise<void> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [unknown];
    if (message === what) return;
  }
}

/** Median of the process's CPU for one call. */
async function cpuOf(work: (n: number) => Promise<void>): Promise<number> {
  const each: number[] = [];
  for (let n = 0; n < EVENTS; n += 1) {
    const before = process.cpuUsage();
    await work(n);
    const { user, system } = process.cpuUsage(before);
    each.push((user + system) / 1000);
  }
  return each.sort((a, b) => a - b)[Math.floor(each.length / 2)] ?? Number.NaN;
}
