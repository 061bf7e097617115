import { readableBy } from '@hephaisto/core/principal/access';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ACCESS } from '../access-table.ts';
import type { Authenticated } from '../auth/authenticate.ts';
import { admit, headerText, REFUSALS, type RouteContext } from '../define-route.ts';
import { shuttingDown } from '../drain.ts';
import { ApiProblem } from '../problem.ts';
import { formatCursor, parseCursor, type StreamCursor } from './cursor.ts';
import { eventsAfter, hasHeldBack, headCursor, isResumable, mayRead, type StreamEvent } from './events.ts';
import type { StreamHub, Wake } from './hub.ts';

const BATCH = 200;
/** A reader that leaves so much unread has gone to sleep; it comes back with its cursor and misses nothing. */
const MOST_BUFFERED_BYTES = 1024 * 1024;
/** How soon to look again for what is committed but still held back. */
const HELD_BACK_MS = 100;
/** Should a notification ever get lost, this is how late an event is. */
const POLL_MS = 5_000;

/** The live stream: events of the incident log as they are committed, resumable on any replica. */
export function registerStream(context: RouteContext, hub: StreamHub): { closeAll(): void } {
  const live = new Set<() => void>();
  let closed = false;
  context.app.get(
    '/api/v1/stream',
    {
      schema: {
        summary: 'Follow what happens (server-sent events)',
        description:
          'Events `incident`, `approval` and `action` carry the id to resume from; `switch` says that a switch changed; `reset` says that the id sent is too old or unknown: read everything again. A comment comes every 15 s.',
        tags: ['installation'],
        security: [{ session: [] }, { bearer: [] }],
        headers: z.object({ 'last-event-id': z.string().max(100).optional() }),
        response: {
          200: { description: 'A stream', content: { 'text/event-stream': { schema: z.string() } } },
          ...REFUSALS,
        },
      },
      config: { rateLimit: false },
      // A HEAD answer would end at once, while a stream never does.
      exposeHeadRoute: false,
      onRequest: async (request) => {
        request.caller = await admit(context, ACCESS['GET /api/v1/stream'], request, false);
      },
    },
    async (request, reply) => {
      const { caller } = request;
      if (caller === undefined) throw new ApiProblem('unauthenticated', 'expected an account, found none');
      const most = context.deps.config.server.stream.perAccount;
      const leave = hub.takePlace(caller.subject, most);
      if (leave === undefined)
        throw new ApiProblem(
          'too-many-streams',
          `expected at most ${most} live streams of one account, found one more; close another tab`,
        );
      try {
        const start = await startingPoint(context, request);
        if (closed) throw shuttingDown();
        await follow(context, hub, live, request, reply, caller, start, leave);
      } catch (error: unknown) {
        leave();
        throw error;
      }
    },
  );
  return {
    closeAll() {
      closed = true;
      for (const end of live) end();
    },
  };
}

interface Start {
  readonly cursor: StreamCursor;
  readonly reset: boolean;
}

async function startingPoint({ deps }: RouteContext, request: FastifyRequest): Promise<Start> {
  const sent = headerText(request.headers['last-event-id']);
  const head = await headCursor(deps.db);
  if (sent === undefined || sent === '') return { cursor: head, reset: false };
  const cursor = parseCursor(sent);
  if (cursor === undefined || !(await isResumable(deps.db, cursor, deps.config.server.stream.replay)))
    return { cursor: head, reset: true };
  return { cursor, reset: false };
}

async function follow(
  context: RouteContext,
  hub: StreamHub,
  live: Set<() => void>,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Authenticated,
  start: Start,
  leave: () => void,
): Promise<void> {
  const { deps } = context;
  reply.hijack();
  const { raw } = reply;
  const sent = Object.fromEntries(Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined));
  raw.writeHead(200, {
    ...(sent as Record<string, string | string[]>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  let readable = readableBy(caller);
  let { cursor } = start;
  let ended = false;
  let reading = false;
  let again = false;
  const cancels = new Set<() => void>();

  function end(): void {
    if (ended) return;
    ended = true;
    for (const cancel of cancels) cancel();
    unsubscribe();
    live.delete(end);
    leave();
    deps.metrics.gauge('streams_open', hub.open);
    raw.end();
  }

  function write(text: string): void {
    if (ended) return;
    raw.write(text);
    if (raw.writableLength > MOST_BUFFERED_BYTES) end();
  }

  function send(event: StreamEvent): void {
    cursor = event.cursor;
    if (mayRead(readable, event.namespace)) write(frame(event.name, event.data, formatCursor(cursor)));
  }

  async function read(): Promise<void> {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    try {
      do {
        again = false;
        for (let batch = await eventsAfter(deps.db, cursor, BATCH); batch.length > 0; ) {
          if (!(await stillMay())) return end();
          for (const event of batch) send(event);
          if (ended) return;
          batch = batch.length < BATCH ? [] : await eventsAfter(deps.db, cursor, BATCH);
        }
      } while (again);
      if (!ended && (await hasHeldBack(deps.db, cursor))) later(HELD_BACK_MS, read);
    } catch (error: unknown) {
      // The client comes back with its cursor; a stream that goes on after a failed read could be silently old.
      deps.log.warn('live stream ended', { error });
      end();
    } finally {
      reading = false;
    }
  }

  function later(milliseconds: number, work: () => Promise<void>): void {
    const cancel = deps.timers.after(milliseconds, () => {
      cancels.delete(cancel);
      if (!ended) void work();
    });
    cancels.add(cancel);
  }

  /** Asked anew before anything is told: a session that was ended or a role that was taken away must not go on listening. */
  async function stillMay(): Promise<boolean> {
    const still = await admit(context, ACCESS['GET /api/v1/stream'], request, false).catch(() => undefined);
    if (still !== undefined) readable = readableBy(still);
    return still !== undefined;
  }

  async function beat(): Promise<void> {
    if (!(await stillMay())) return end();
    write(': alive\n\n');
    later(deps.config.server.stream.heartbeat, beat);
  }

  async function poll(): Promise<void> {
    await read();
    later(POLL_MS, poll);
  }

  function onWake(wake: Wake): void {
    if (wake === 'event') void read();
    else write(frame('switch', {}, undefined));
  }

  const unsubscribe = hub.subscribe(onWake);
  live.add(end);
  raw.on('close', end);
  raw.on('error', end);
  deps.metrics.gauge('streams_open', hub.open);
  write('retry: 1000\n\n');
  write(frame(start.reset ? 'reset' : 'ready', start.reset ? { reason: 'cursor-too-old' } : {}, formatCursor(cursor)));
  later(deps.config.server.stream.heartbeat, beat);
  later(POLL_MS, poll);
  await read();
}

/** JSON has no line break outside strings and none inside them, so one data line always suffices. */
function frame(name: string, data: Readonly<Record<string, unknown>>, id: string | undefined): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
