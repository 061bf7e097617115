import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { earlyOf, type Manifest } from '../../early.ts';
import { healthQuery, inboxQuery, incidentQuery, sessionQuery } from './reads.ts';

const PAGES = ['incidents', 'incident', 'evidence', 'approvals', 'actions', 'health', 'stories'].map(
  (name) => `src/pages/${name}.tsx`,
);

/** A build in which every page has a file of its own, and all of them one in common with the document. */
const MANIFEST: Manifest = {
  'index.html': { file: 'assets/index.js', isEntry: true, imports: ['_shared'] },
  _shared: { file: 'assets/shared.js', imports: ['_runtime'] },
  _runtime: { file: 'assets/runtime.js' },
  _chart: { file: 'assets/chart.js', css: ['assets/chart.css'], imports: ['_shared'] },
  'src/model/transcript-page.tsx': { file: 'assets/transcript.js', imports: ['_shared'] },
  ...Object.fromEntries(
    PAGES.map((source) => [source, { file: `assets/${source.slice(10, -4)}.js`, imports: ['_shared', '_chart'] }]),
  ),
};

describe('what a page needs at once', () => {
  const early = earlyOf(MANIFEST);

  test('is its own file and what only that one imports; the document names the rest itself', () => {
    assert.deepEqual(early['/incidents/:id']?.scripts, ['/assets/incident.js', '/assets/chart.js']);
    assert.deepEqual(early['/incidents/:id']?.styles, ['/assets/chart.css']);
    assert.deepEqual(early['/']?.scripts, []);
  });

  test('is asked for at the very addresses that the page then reads, or it would be read twice', async () => {
    const asked = await addressesOf((client) =>
      Promise.allSettled([
        client.fetchQuery({ ...sessionQuery, retry: false }),
        client.fetchQuery({ ...inboxQuery, retry: false }),
        client.fetchQuery({ ...incidentQuery('7'), retry: false }),
        client.fetchQuery({ ...healthQuery, retry: false }),
      ]),
    );
    const named = Object.values(early).flatMap(({ reads }) => reads.map((read) => read.replace(':id', '7')));
    assert.deepEqual([...new Set(named)].sort(), [...asked].sort());
  });

  test('a page without its file stops the build', () => {
    const { 'src/pages/health.tsx': _gone, ...rest } = MANIFEST;
    assert.throws(() => earlyOf(rest), /src\/pages\/health\.tsx/);
  });
});

async function addressesOf(read: (client: QueryClient) => Promise<unknown>): Promise<ReadonlySet<string>> {
  const asked = new Set<string>();
  const held = globalThis.fetch;
  globalThis.fetch = (address, init) => {
    assert.deepEqual(Object.keys(init?.headers ?? {}), [], 'a header would make it another request');
    asked.add(String(address));
    return Promise.reject(new Error('no network in tests'));
  };
  try {
    await read(new QueryClient());
  } finally {
    globalThis.fetch = held;
  }
  return asked;
}
