import assert from 'node:assert/strict';
import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import type { Session } from '@hephaisto/core/report/installation';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Demo } from './demo.ts';

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

/** Everything a check uses: the browser, people with sessions, and the API as they see it. */
export interface World {
  readonly demo: Demo;
  readonly base: string;
  /** A page of a browser of its own, signed in as the person. Its errors are collected. */
  open(person: Person, path: string, wishes?: PageWishes): Promise<OpenPage>;
  /** A context of a signed-in person, for checks that need several tabs. */
  context(person: Person, wishes?: PageWishes): Promise<BrowserContext>;
  get<T>(person: Person, path: string): Promise<T>;
  /** `seen` is the version that the writer has seen, where one must be named. */
  write(person: Person, method: string, path: string, body: object, seen?: number): Promise<Written>;
  /** Plays a story and waits until its incident is there in that state. */
  awaiting(story: string): Promise<IncidentSummary>;
  incident(number: number): Promise<IncidentReport>;
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

const LAUNCH = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const PATIENCE_MS = 30_000;
const STORY_MS = 360_000;

export async function openWorld(demo: Demo): Promise<World> {
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath(), headless: true, args: LAUNCH });
  const sessions = new Map<Person, { readonly cookie: string; readonly csrf: string }>();

  async function sessionOf(person: Person) {
    const known = sessions.get(person);
    if (known !== undefined) return known;
    const link = demo.links[person];
    assert.ok(link !== undefined, `expected a sign-in link for ${person}`);
    const answer = await fetch(`${demo.base}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: demo.base },
      body: JSON.stringify({ token: new URL(link).searchParams.get('token') }),
    });
    assert.equal(answer.status, 200, `the link of ${person} opens a session: ${await answer.clone().text()}`);
    const session = (await answer.json()) as Session;
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const made = { cookie, csrf: session.csrfToken ?? '' };
    sessions.set(person, made);
    return made;
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
    await made.addCookies([{ name, value, url: demo.base, httpOnly: true, sameSite: 'Lax' }]);
    return made;
  }

  async function get<T>(person: Person, path: string): Promise<T> {
    const { cookie } = await sessionOf(person);
    const answer = await fetch(`${demo.base}${path}`, { headers: { cookie } });
    assert.equal(answer.status, 200, `GET ${path}: ${await answer.clone().text()}`);
    return (await answer.json()) as T;
  }

  async function write(person: Person, method: string, path: string, body: object, seen?: number) {
    const { cookie, csrf } = await sessionOf(person);
    const answer = await fetch(`${demo.base}${path}`, {
      method,
      headers: {
        cookie,
        'x-csrf-token': csrf,
        origin: demo.base,
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
    await page.goto(`${demo.base}${path}`);
    return { page, troubles, close: () => made.close() };
  }

  async function openIncidents(): Promise<readonly IncidentSummary[]> {
    return (await get<{ items: IncidentSummary[] }>('vic', '/api/v1/incidents?state=AwaitingApproval&limit=200')).items;
  }

  return {
    demo,
    base: demo.base,
    open,
    context,
    get,
    write,
    incident: (number) => get<IncidentReport>('vic', `/api/v1/incidents/${number}`),
    async awaiting(story) {
      const waiting = async () =>
        (await openIncidents()).find(
          (row) => row.namespace?.startsWith(`${story}-`) === true && row.proposal?.state === 'Open',
        );
      const there = await waiting();
      if (there !== undefined) return there;
      const playing = (await get<{ stories: { id: string; state: string }[] }>('ada', '/demo/stories')).stories;
      if (playing.find(({ id }) => id === story)?.state !== 'playing') {
        const { status, body } = await write('ada', 'POST', `/demo/stories/${story}`, {});
        assert.equal(status, 202, `the story ${story} is taken: ${JSON.stringify(body)}`);
      }
      return await eventually(`the incident of ${story} waits for approval`, STORY_MS, waiting);
    },
    async tidy() {
      for (const left of browser.contexts()) {
        for (const page of left.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
        await left.close();
      }
    },
    close: () => browser.close(),
  };
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

function chromiumPath(): string {
  return process.env.HEPHAISTO_TEST_CHROMIUM ?? '/usr/bin/chromium';
}
