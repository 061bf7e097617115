import assert from 'node:assert/strict';
import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import type { Session } from '@hephaisto/core/report/installation';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Crowd } from './crowd.ts';
import type { Demo, Server } from './demo.ts';

export type Person = 'ana' | 'ben' | 'rui' | 'ada' | 'vic';
export const DESK = { width: 1280, height: 720 } as const;
export const PHONE = { width: 360, height: 740 } as const;

interface PageWishes {
  readonly size?: { readonly width: number; readonly height: number };
  readonly theme?: 'light' | 'dark';
  readonly zone?: string;
}

interface Written {
  readonly status: number;
  readonly body: unknown;
}

/** A server as people see it: pages of a browser, sessions, and the API. */
export interface Visit {
  readonly base: string;
  /** A page of a browser of its own, signed in as the person. Its errors are collected. */
  open(person: Person, path: string, wishes?: PageWishes): Promise<OpenPage>;
  /** A context of a signed-in person, for checks that need several tabs. */
  context(person: Person, wishes?: PageWishes): Promise<BrowserContext>;
  get<T>(person: Person, path: string): Promise<T>;
  /** `seen` is the version that the writer has seen, where one must be named. */
  write(person: Person, method: string, path: string, body: object, seen?: number): Promise<Written>;
  incident(number: number): Promise<IncidentReport>;
}

/** Everything a check uses: the demo, and what a demo would reach only after an hour. */
export interface World extends Visit {
  readonly demo: Demo;
  /** The product's API and console over prepared rows, started when first asked for. */
  crowd(): Promise<Visit & Crowd>;
  /** Plays a story and waits until its incident is there in that state. */
  awaiting(story: string): Promise<IncidentSummary>;
  /** Closes what a check left open, so that a failed one does not go on asking behind the next. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenPage {
  readonly page: Page;
  /** What went wrong on the page: uncaught errors, and violations of the content policy. */
  readonly troubles: readonly string[];
  close(): Promise<void>;
}

/** Waits end when what they wait for is there; this only bounds a failure. */
const PATIENCE_MS = 60_000;
const STORY_MS = 360_000;
const LINK_MS = 60_000;

/** Visits a server with the browser. Sessions are opened when first needed. */
export function visit(browser: Browser, server: Server): Visit {
  const sessions = new Map<Person, Promise<{ readonly cookie: string; readonly csrf: string }>>();

  function sessionOf(person: Person) {
    const known = sessions.get(person) ?? openSession(server, person);
    sessions.set(person, known);
    return known;
  }

  async function context(person: Person, wishes: PageWishes = {}): Promise<BrowserContext> {
    const { cookie } = await sessionOf(person);
    const [name = '', value = ''] = cookie.split('=');
    const made = await browser.newContext({
      viewport: wishes.size ?? DESK,
      colorScheme: wishes.theme ?? 'light',
      timezoneId: wishes.zone ?? 'Europe/Berlin',
      locale: 'en-GB',
      ...(wishes.size === PHONE ? { deviceScaleFactor: 2, hasTouch: true } : {}),
    });
    made.setDefaultTimeout(PATIENCE_MS);
    await made.addCookies([{ name, value, url: server.base, httpOnly: true, sameSite: 'Lax' }]);
    return made;
  }

  async function get<T>(person: Person, path: string): Promise<T> {
    const { cookie } = await sessionOf(person);
    const answer = await fetch(`${server.base}${path}`, { headers: { cookie } });
    assert.equal(answer.status, 200, `GET ${path}: ${await answer.clone().text()}`);
    return (await answer.json()) as T;
  }

  async function write(person: Person, method: string, path: string, body: object, seen?: number) {
    const { cookie, csrf } = await sessionOf(person);
    const answer = await fetch(`${server.base}${path}`, {
      method,
      headers: {
        cookie,
        'x-csrf-token': csrf,
        origin: server.base,
        'content-type': 'application/json',
        ...(seen === undefined ? {} : { 'if-match': `"${seen}"` }),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  async function open(person: Person, path: string, wishes: PageWishes = {}): Promise<OpenPage> {
    const made = await context(person, wishes);
    const page = await made.newPage();
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && /Content Security|Refused to|hydrat|Warning:/i.test(message.text()))
        troubles.push(message.text());
    });
    page.on('dialog', (dialog) => {
      troubles.push(`a dialog opened: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(`${server.base}${path}`);
    return { page, troubles, close: () => made.close() };
  }

  return {
    base: server.base,
    open,
    context,
    get,
    write,
    incident: (number) => get<IncidentReport>('vic', `/api/v1/incidents/${number}`),
  };
}

export function openWorld(browser: Browser, demo: Demo, crowd: () => Promise<Crowd>): World {
  const stay = visit(browser, demo);
  let opened: Promise<Visit & Crowd> | undefined;

  async function waitingOf(story: string): Promise<IncidentSummary | undefined> {
    const { items } = await stay.get<{ items: IncidentSummary[] }>(
      'vic',
      '/api/v1/incidents?state=AwaitingApproval&limit=200',
    );
    return items.find((row) => row.namespace?.startsWith(`${story}-`) === true && row.proposal?.state === 'Open');
  }

  return {
    ...stay,
    demo,
    crowd() {
      opened ??= crowd().then((started) => ({ ...started, ...visit(browser, started) }));
      return opened;
    },
    async awaiting(story) {
      const there = await waitingOf(story);
      if (there !== undefined) return there;
      const playing = (await stay.get<{ stories: { id: string; state: string }[] }>('ada', '/demo/stories')).stories;
      if (playing.find(({ id }) => id === story)?.state !== 'playing') {
        const { status, body } = await stay.write('ada', 'POST', `/demo/stories/${story}`, {});
        assert.equal(status, 202, `the story ${story} is taken: ${JSON.stringify(body)}`);
      }
      return await eventually(`the incident of ${story} waits for approval`, STORY_MS, () => waitingOf(story));
    },
    async tidy() {
      for (const left of browser.contexts()) {
        for (const page of left.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
        await left.close();
      }
    },
    async close() {
      await browser.close();
      await opened?.then((started) => started.end()).catch(() => {});
    },
  };
}

/** Spends a link. One that somebody else spent meanwhile is replaced by the server soon; until then it is asked for again. */
async function openSession(
  server: Server,
  person: Person,
): Promise<{ readonly cookie: string; readonly csrf: string }> {
  return eventually(`a link of ${person} opens a session`, LINK_MS, async () => {
    const link = await server.linkOf(person);
    const answer = await fetch(`${server.base}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.base },
      body: JSON.stringify({ token: new URL(link).searchParams.get('token') }),
    });
    if (!answer.ok) return undefined;
    const session = (await answer.json()) as Session;
    return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '', csrf: session.csrfToken ?? '' };
  });
}

/** Asks again and again until there is something, or fails with the sentence. */
export async function eventually<T>(what: string, withinMs: number, ask: () => Promise<T | undefined>): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    assert.ok(performance.now() < until, `expected within ${withinMs} ms that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
