import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeHttpUse, staleHttpExceptions } from './http-use.ts';
import { readSources } from './sources.ts';

describe('HTTP client gate', () => {
  it('finds nothing in the repository, and no exception that is no longer needed', () => {
    const sources = readSources();
    assert.deepEqual(judgeHttpUse(sources), []);
    assert.deepEqual(staleHttpExceptions(sources), []);
  });

  for (const text of [
    "import { request } from 'node:https';",
    "import type http from 'node:http';",
    "import { connect } from 'node:http2';",
    "import { request } from 'undici';",
    "const { get } = await import('node:http');",
    'const answer = await fetch(url);',
    'const answer = await globalThis.fetch(url);',
  ])
    it(`refuses \`${text}\``, () => {
      const found = judgeHttpUse([{ path: 'operator/src/notify/x.ts', text }]);
      assert.deepEqual(
        found.map(({ rule }) => rule),
        ['http-client'],
      );
    });

  it('allows the client itself, tests, and a method of that name', () => {
    const text = "import { Agent } from 'undici';";
    assert.deepEqual(judgeHttpUse([{ path: 'operator/src/http/x.ts', text }]), []);
    assert.deepEqual(judgeHttpUse([{ path: 'operator/src/notify/x.test.ts', text }]), []);
    assert.deepEqual(judgeHttpUse([{ path: 'operator/src/notify/x.ts', text: 'rows.fetch(1)' }]), []);
  });
});
