import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type ApiUnderTest, type SignedIn, startTestApi } from '@hephaisto/test/api';
import { createTestDatabase } from '@hephaisto/test/database';
import { insertIncident, noteOn } from '@hephaisto/test/incident-rows';
import { verifies } from '@hephaisto/test/verifies';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

interface Listening extends AsyncDisposable {
  readonly events: EventSourceMessage[];
  readonly comments: string[];
  /** Resolves with the first event that fits; rejects after a while. */
  until(fits: (event: EventSourceMessage) => boolean): Promise<EventSourceMessage>;
  readonly ended: Promise<void>;
}

const PATIENCE_MS = 10_000;

async function listen(api: ApiUnderTest, as: SignedIn, lastEventId?: string): Promise<Listening> {
  const stop = new AbortController();
  const response = await fetch(`${api.url}/api/v1/stream`, {
    signal: stop.signal,
    headers: { cookie: as.cookie, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
  });
  assert.equal(response.status, 200);
  const events: EventSourceMessage[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onComment: (comment) => comments.push(comment),
  });
  const { body } = response;
  assert.ok(body);
  const ended = (async () => {
    try {
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        parser.feed(chunk);
        for (const look of waiting) look();
      }
    } catch {
      // Cut by us or by the server: both are an end.
    }
  })();
  return {
    events,
    comments,
    ended,
    until(fits) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`nothing fitting among ${JSON.stringify(events)}`)),
          PATIENCE_MS,
        );
        const look = (): void => {
          const found = events.find(fits);
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** Asks for the stream and cuts the connection so many milliseconds after the request is on its way. */
async function goAway(api: ApiUnderTest, as: SignedIn, milliseconds: number): Promise<void> {
  const asked = request(`${api.url}/api/v1/stream`, { headers: { cookie: as.cookie }, agent: false });
  asked.on('error', () => undefined);
  asked.end();
  await once(asked, 'finish');
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  asked.destroy();
}

const noted = (text: string) => (event: EventSourceMessage) => event.event === 'incident' && event.data.includes(text);
const seqOf = (event: EventSourceMessage) => (JSON.parse(event.data) as { event: { seq: number } }).event.seq;

describe('the live stream', () => {
  let api: ApiUnderTest;
  let vic: SignedIn;
  let incident: string;
  before(async () => {
    api = await startTestApi({
      config: { server: { port: 0, stream: { perAccount: 2, heartbeat: '1s', replay: 20 } } },
    });
    vic = await api.signIn('vic');
    incident = await insertIncident(api.db);
  });
  after(() => api[Symbol.asyncDispose]());

  test('an event reaches a listener without being asked for', async () => {
    await using stream = await listen(api, vic);
    await stream.until((event) => event.event === 'ready');
    await noteOn(api.db, incident, 'n');
    await stream.until((event) => event.event === 'incident');
  });

  test('who comes back with its last id gets what it missed, once and in order, over a restart of the server', async () => {
    const first = await listen(api, vic);
    const ready = await first.until((event) => event.event === 'ready');
    await noteOn(api.db, incident, 'one');
    const last = await first.until((event) => event.event === 'incident');
    await api.restart();
    await first.ended;
    await noteOn(api.db, incident, 'two');
    await noteOn(api.db, incident, 'three');
    await using second = await listen(api, vic, last.id);
    await second.until((event) => event.event === 'incident' && seqOf(event) === seqOf(last) + 2);
    await noteOn(api.db, incident, 'four');
    await second.until((event) => event.event === 'incident' && seqOf(event) === seqOf(last) + 3);
    const seqs = second.events.filter((event) => event.event === 'incident').map(seqOf);
    assert.deepEqual(
      seqs,
      [1, 2, 3].map((n) => seqOf(last) + n),
    );
    assert.notEqual(ready.id, undefined);
  });

  test('an id that is too old, of another database or none at all is answered with reset', async () => {
    await using start = await listen(api, vic);
    const { id } = await start.until((event) => event.event === 'ready');
    for (let n = 0; n < 21; n += 1) await noteOn(api.db, incident, `n${n}`);
    for (const old of [id, '99999999999-1', 'nonsense']) {
      await using stream = await listen(api, vic, old);
      const reset = await stream.until((event) => event.event === 'reset');
      assert.match(reset.id ?? '', /^\d+-\d+$/);
      assert.equal(stream.events.filter((event) => event.event === 'incident').length, 0);
    }
  });

  test('a client that goes away while its stream is being opened gives its place back', async () => {
    for (let n = 0; n < 12; n += 1) await goAway(api, vic, n);
    const open: Listening[] = [];
    // The server notices each closed connection at its next turn or a few later.
    for (let tries = 0; tries < 50 && open.length < 2; tries += 1) {
      const stream = await listen(api, vic).catch(() => undefined);
      if (stream === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
      else open.push(stream);
    }
    assert.equal(open.length, 2);
    for (const stream of open) await stream[Symbol.asyncDispose]();
  });

  test('an account may hold only so many streams, and gets a place back when one closes', async () => {
    const first = await listen(api, vic);
    await using second = await listen(api, vic);
    const third = await api.call('/api/v1/stream', { as: vic });
    assert.deepEqual([third.status, third.body.code], [429, 'too-many-streams']);
    await first[Symbol.asyncDispose]();
    await second.until((event) => event.event === 'ready');
    let status = 429;
    for (let n = 0; n < 50 && status === 429; n += 1) {
      const stop = new AbortController();
      const answer = await fetch(`${api.url}/api/v1/stream`, { signal: stop.signal, headers: { cookie: vic.cookie } });
      status = answer.status;
      stop.abort();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(status, 200);
  });

  test('an idle stream says that it lives, and ends with its session', async () => {
    verifies('H0-137');
    const ben = await api.signIn('ben');
    await using stream = await listen(api, ben);
    await stream.until((event) => event.event === 'ready');
    while (stream.comments.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await api.call('/api/v1/session', { as: ben, method: 'DELETE' });
    await stream.ended;
  });

  test('what a listener may not read it does not hear of', async () => {
    const nina = await api.signIn('nina');
    const secret = await insertIncident(api.db, { namespace: 'pay', title: 'pay is down' });
    await using stream = await listen(api, nina);
    await stream.until((event) => event.event === 'ready');
    await noteOn(api.db, secret, 'x');
    await noteOn(api.db, incident, 'x');
    const heard = await stream.until((event) => event.event === 'incident');
    assert.ok(!JSON.stringify(stream.events).includes('pay is down'));
    assert.ok(noted('web crashes')(heard));
  });

  test('a role that is taken away ends the stream before the next event is told', async () => {
    verifies('H0-138');
    const nina = await api.signIn('nina');
    await using stream = await listen(api, nina);
    await stream.until((event) => event.event === 'ready');
    await noteOn(api.db, incident, 'while she may');
    await stream.until((event) => event.event === 'incident');
    const heard = stream.events.length;
    await api.db.execute(`DELETE FROM role_grants WHERE subject = 'nina'`);
    await noteOn(api.db, incident, 'after it');
    await stream.ended;
    assert.equal(stream.events.length, heard);
  });

  test('a browser listens by its cookie and a program by its token; nobody listens by neither', async () => {
    verifies('H0-133');
    const ada = await api.signIn('ada');
    const made = await api.call('/api/v1/tokens', { as: ada, body: { principal: 'robot', role: 'viewer' } });
    const statusWith = async (headers: Record<string, string>) => {
      const stop = new AbortController();
      const answer = await fetch(`${api.url}/api/v1/stream`, { signal: stop.signal, headers });
      stop.abort();
      return answer.status;
    };
    assert.equal(await statusWith({ authorization: `Bearer ${String(made.body.token)}` }), 200);
    assert.equal(await statusWith({ cookie: ada.cookie }), 200);
    assert.equal(await statusWith({}), 401);
  });

  test('a notification only says that there is something: of a thousand events at once each is told, once and in order', async () => {
    verifies('H3-150');
    const rui = await api.signIn('rui');
    await using stream = await listen(api, rui);
    await stream.until((event) => event.event === 'ready');
    const [{ version } = { version: 0 }] = await api.db.query<{ version: number }>(
      'SELECT version FROM incidents WHERE id = $1',
      [incident],
    );
    await api.db.transaction(async (tx) => {
      await tx.execute(
        `INSERT INTO incident_events (incident_id, cluster, seq, kind, reason, actor, origin)
         SELECT id, cluster, version + n, 'note', 'said', 'ana', 'api' FROM incidents, generate_series(1, 1000) AS n WHERE id = $1`,
        [incident],
      );
      await tx.execute('UPDATE incidents SET version = version + 1000 WHERE id = $1', [incident]);
    });
    await stream.until((event) => event.event === 'incident' && seqOf(event) === version + 1000);
    // An event of an earlier test may be told late, where another transaction of the server held it back.
    const seqs = stream.events
      .filter((event) => event.event === 'incident')
      .map(seqOf)
      .filter((seq) => seq > version);
    assert.deepEqual(
      seqs,
      Array.from({ length: 1000 }, (_, n) => version + 1 + n),
    );
  });

  test('an event is read once for all who listen, and their rights are checked by one statement', async () => {
    const db = await createTestDatabase();
    let statements: string[] = [];
    const counted = new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'query' || typeof value !== 'function')
          return typeof value === 'function' ? value.bind(target) : value;
        return (sql: string, values?: readonly unknown[]) => {
          statements.push(sql);
          return target.query(sql, values);
        };
      },
    });
    await using many = await startTestApi({
      db,
      deps: { db: counted },
      config: { server: { port: 0, stream: { perAccount: 100 } } },
    });
    const id = await insertIncident(db);
    const [ana, ben] = [await many.signIn('ana'), await many.signIn('ben')];
    const streams = await Promise.all(Array.from({ length: 40 }, (_, n) => listen(many, n % 2 === 0 ? ana : ben)));
    await Promise.all(streams.map((stream) => stream.until((event) => event.event === 'ready')));
    await noteOn(db, id, 'warm');
    await Promise.all(streams.map((stream) => stream.until((event) => event.event === 'incident')));
    statements = [];
    await noteOn(db, id, 'counted');
    await Promise.all(
      streams.map((stream) => stream.until(() => stream.events.filter((e) => e.event === 'incident').length === 2)),
    );
    const reads = statements.filter((sql) => sql.includes('FROM incident_events e JOIN incidents'));
    assert.ok(reads.length <= 2, `${reads.length} reads of the log for 40 streams`);
    assert.ok(statements.filter((sql) => sql.includes('web_sessions')).length <= 2, 'rights are checked together');
    for (const stream of streams) await stream[Symbol.asyncDispose]();
  });

  test('a session that ends by its age ends its stream within seconds, without an event or a notification', async () => {
    const ana = await api.signIn('ana');
    await using stream = await listen(api, ana);
    await stream.until((event) => event.event === 'ready');
    await api.db.moveClock('13 hours');
    try {
      await stream.ended;
    } finally {
      await api.db.moveClock('0');
    }
  });

  test('who joins while events are written misses none and gets none twice', async () => {
    const ada = await api.signIn('ada');
    const [{ version } = { version: 0 }] = await api.db.query<{ version: number }>(
      'SELECT version FROM incidents WHERE id = $1',
      [incident],
    );
    await using first = await listen(api, ada);
    const { id } = await first.until((event) => event.event === 'ready');
    const writing = (async () => {
      for (let n = 0; n < 15; n += 1) await noteOn(api.db, incident, `busy ${n}`);
    })();
    await using second = await listen(api, ada, id);
    await writing;
    const last = version + 15;
    for (const stream of [first, second]) {
      await stream.until((event) => event.event === 'incident' && seqOf(event) === last);
      const seqs = stream.events.filter((event) => event.event === 'incident').map(seqOf);
      assert.deepEqual(
        seqs,
        Array.from({ length: 15 }, (_, n) => version + 1 + n),
      );
    }
  });
});
