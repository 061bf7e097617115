import { readableBy } from '@hephaisto/core/principal/access';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ACCESS } from '../access-table.ts';
import type { Authenticated } from '../auth/authenticate.ts';
import { admit, headerText, REFUSALS, type RouteContext } from '../define-route.ts';
import { shuttingDown } from '../drain.ts';
import { ApiProblem } from '../problem.ts';
import { credentialOf } from './access-check.ts';
import { formatCursor, isAfter, parseCursor, type StreamCursor } from './cursor.ts';
import { eventsAfter, frame, headCursor, isResumable, mayRead, type StreamEvent } from './events.ts';
import type { StreamHub } from './hub.ts';

const BATCH = 200;
/** A reader that leaves so much unread has gone to sleep; it comes back with its cursor and misses nothing. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
interface Live {
  readonly ends: Set<() => void>;
  closed: boolean;
}

/** The live stream: events of the incident log as they are committed, resumable on any replica. */
export function registerStream(context: RouteContext, hub: StreamHub): { closeAll(): void } {
  const live: Live = { ends: new Set(), closed: false };
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
        await follow(context, hub, live, { request, reply, caller, leavePlace: leave });
      } catch (error: unknown) {
        leave();
        throw error;
      }
    },
  );
  return {
    closeAll() {
      live.closed = true;
      for (const end of [...live.ends]) end();
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

interface Follower {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Authenticated;
  readonly leavePlace: () => void;
}

/** Joins the hub, reads by itself what lies before the hub's place, and from then on passes on what the hub hands over. */
async function follow(
  context: RouteContext,
  hub: StreamHub,
  live: Live,
  { request, reply, caller, leavePlace }: Follower,
): Promise<void> {
  const { deps } = context;
  const { raw } = reply;
  const cancels = new Set<() => void>();
  /** Events that the hub hands over while this stream is still catching up. */
  let waiting: (readonly StreamEvent[])[] | undefined = [];
  let readable = readableBy(caller);
  let cursor: StreamCursor | undefined;
  let opened = false;
  let ended = false;
  let leaveHub = (): void => undefined;

  function end(): void {
    if (ended) return;
    ended = true;
    for (const cancel of cancels) cancel();
    leaveHub();
    live.ends.delete(end);
    leavePlace();
    deps.metrics.gauge('streams_open', hub.openStreams());
    if (opened) raw.end();
  }

  function write(text: string): void {
    if (ended) return;
    raw.write(text);
    if (raw.writableLength > MAX_BUFFERED_BYTES) end();
  }

  function send(events: readonly StreamEvent[]): void {
    let text = '';
    for (const event of events) {
      if (cursor !== undefined && !isAfter(event.cursor, cursor)) continue;
      cursor = event.cursor;
      if (mayRead(readable, event.namespace)) text += event.frame;
    }
    if (text !== '') write(text);
  }

  async function catchUp(start: StreamCursor): Promise<void> {
    for (let from = start, more = true; more && !ended; ) {
      const batch = await eventsAfter(deps.db, from, BATCH);
      send(batch);
      more = batch.length === BATCH;
      from = batch.at(-1)?.cursor ?? from;
    }
    for (const batch of waiting ?? []) send(batch);
    waiting = undefined;
  }

  function scheduleBeat(): void {
    const cancel = deps.timers.after(deps.config.server.stream.heartbeat, () => {
      cancels.delete(cancel);
      write(': alive\n\n');
      if (!ended) scheduleBeat();
    });
    cancels.add(cancel);
  }

  // Before anything is awaited: a client that goes away while the stream is being opened closes the response once, and never again.
  raw.on('close', end);
  raw.on('error', end);
  leaveHub = await hub.join({
    credential: credentialOf(caller, request),
    onEvents: (events) => (waiting === undefined ? send(events) : void waiting.push(events)),
    onSwitch: () => write(frame('switch', {}, undefined)),
    onAccess(may) {
      if (may === undefined) end();
      else readable = may;
    },
    onFailure: end,
  });
  let start: Start;
  try {
    start = await startingPoint(context, request);
    if (live.closed) throw shuttingDown();
    if (raw.destroyed) {
      // It may have closed before anybody listened, or before there was a hub to leave.
      end();
      leaveHub();
      reply.hijack();
      return;
    }
    if (ended) throw new ApiProblem('unauthenticated', 'expected a session that may listen, found one that has ended');
  } catch (error: unknown) {
    leaveHub();
    throw error;
  }
  cursor = start.cursor;
  openStream(reply);
  opened = true;
  live.ends.add(end);
  deps.metrics.gauge('streams_open', hub.openStreams());
  write('retry: 1000\n\n');
  write(frame(start.reset ? 'reset' : 'ready', start.reset ? { reason: 'cursor-too-old' } : {}, formatCursor(cursor)));
  scheduleBeat();
  await catchUp(cursor).catch((error: unknown) => {
    // The client comes back with its cursor; a stream that goes on after a failed read could be silently old.
    deps.log.warn('live stream ended', { error });
    end();
  });
}

function openStream(reply: FastifyReply): void {
  reply.hijack();
  const sent = Object.fromEntries(Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined));
  reply.raw.writeHead(200, {
    ...(sent as Record<string, string | string[]>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
}
