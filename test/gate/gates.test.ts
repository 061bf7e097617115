import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BLOCKS } from '../requirements/capabilities.ts';
import { verifies } from '../src/verifies.ts';
import { findCycles, judgeImports, reachable } from './imports.ts';
import { judgeLicences, readLock } from './licences.ts';
import { judgePurity } from './purity.ts';
import { judgeRequirements, requirementTable } from './requirements.ts';
import { ROOT, readSources, type Source, type Violation } from './sources.ts';

const sources = readSources();

function plant(path: string, text: string): Source {
  return { path, text };
}

function rules(violations: readonly Violation[]): readonly string[] {
  return violations.map((violation) => violation.rule);
}

function show(violations: readonly Violation[]): string {
  return violations.map((violation) => `${violation.path}: ${violation.rule}: ${violation.message}`).join('\n');
}

describe('import gate', () => {
  it('finds nothing in the repository', () => {
    assert.equal(show(judgeImports(sources)), '');
  });

  it('finds no cycle in the repository', () => {
    assert.equal(show(findCycles(sources)), '');
  });

  const planted: Readonly<Record<string, readonly [path: string, text: string, rule: string]>> = {
    'core reaching for node': ['core/src/x.ts', "import { readFileSync } from 'node:fs';", 'import-direction'],
    'core reaching for policy, as a type': [
      'core/src/x.ts',
      "import type { Input } from '@hephaisto/policy/input';",
      'import-direction',
    ],
    'one stage calling another': [
      'operator/src/flow/5-plan/x.ts',
      "import { admit } from '../6-admit/admit.ts';",
      'import-direction',
    ],
    'a stage reaching for an adapter': [
      'operator/src/flow/5-plan/x.ts',
      "import { openPostgres } from '../../adapters/postgres/open.ts';",
      'import-direction',
    ],
    'an investigation importing the executor': [
      'operator/src/investigate/x.ts',
      "import { send } from '../act/send.ts';",
      'import-direction',
    ],
    'a dynamic import that points back': [
      'policy/src/x.ts',
      "const m = import('@hephaisto/operator/main');",
      'import-direction',
    ],
    'the writing handle outside the executor': [
      'operator/src/api/x.ts',
      "import type { KubeWriter } from '@hephaisto/core/ports/kube';",
      'writer-handle',
    ],
    'shipped code that imports a test': [
      'operator/src/api/x.ts',
      "import { verifies } from '@hephaisto/test/verifies';",
      'test-import',
    ],
  };
  for (const [name, [path, text, rule]] of Object.entries(planted)) {
    it(`refuses ${name}`, () => {
      assert.deepEqual(rules(judgeImports([plant(path, text)])), [rule]);
    });
  }

  it('refuses a cycle made of types only', () => {
    const cycle = [
      plant('core/src/a.ts', "import type { B } from './b.ts';"),
      plant('core/src/b.ts', "import type { A } from './a.ts';"),
    ];
    assert.deepEqual(rules(findCycles(cycle)), ['import-cycle']);
  });

  it('nothing that investigates or plans reaches the executor or the writing adapter', () => {
    verifies('H3-7');
    const modules = reachable(sources, /^operator\/src\/(investigate|flow\/4-investigate|flow\/5-plan|model)\//);
    assert.ok(modules.size > 10, `expected the investigation's modules, found ${modules.size}`);
    assert.deepEqual(
      [...modules].filter((path) => /operator\/src\/(act\/|adapters\/kube\/writer|flow\/7-act\/)/.test(path)),
      [],
    );
  });

  it('nothing that ingests or groups reaches a model', () => {
    verifies('H3-30');
    const modules = reachable(sources, /^operator\/src\/(sources|flow\/[123]-\w+)\//);
    assert.ok(modules.size > 10, `expected ingest's modules, found ${modules.size}`);
    assert.deepEqual(
      [...modules].filter((path) => /operator\/src\/(model|turns)\//.test(path)),
      [],
    );
  });
});

describe('purity gate', () => {
  it('finds nothing in the repository', () => {
    assert.equal(show(judgePurity(sources)), '');
  });

  const planted: Readonly<Record<string, readonly [path: string, text: string, rule: string]>> = {
    'a decision that waits': ['core/src/x.ts', 'export async function decide() {}', 'pure-async'],
    'the clock in a stage': ['operator/src/flow/6-admit/x.ts', 'const at = Date.now();', 'clock'],
    'the clock of a time library': ['policy/src/x.ts', 'const x = Temporal.Now.instant();', 'clock'],
    'chance in a decision': ['policy/src/x.ts', 'const x = Math.random();', 'randomness'],
    'a timer in a command': ['operator/src/commands/x.ts', 'setTimeout(f, 5);', 'timer'],
    'the environment in an adapter': [
      'operator/src/adapters/kube/x.ts',
      'const c = process.env.KUBECONFIG;',
      'environment',
    ],
    'a path that drops the prefix of its base': [
      'operator/src/adapters/x.ts',
      "const url = new URL('/api/v2/alerts', options.url);",
      'base-path',
    ],
    'a computed path that drops the prefix of its base': [
      'operator/src/adapters/x.ts',
      'const url = new URL(pathOf(call), base);',
      'base-path',
    ],
    'a drawer': ['operator/src/api/utils.ts', '', 'name'],
    'a file of 500 lines': ['operator/src/api/long.ts', '\n'.repeat(500), 'length'],
  };
  for (const [name, [path, text, rule]] of Object.entries(planted)) {
    it(`refuses ${name}`, () => {
      assert.deepEqual(rules(judgePurity([plant(path, text)])), [rule]);
    });
  }

  it('a word in a comment is no violation', () => {
    assert.deepEqual(
      judgePurity([plant('core/src/x.ts', '// never await here\n/* Date.now() */\nexport const a = 1;')]),
      [],
    );
  });
});

describe('requirement gate', () => {
  it('every due requirement is proven by a test, and no unknown one is cited', (context) => {
    context.diagnostic(requirementTable(sources));
    assert.equal(show(judgeRequirements(sources)), '');
  });

  it('refuses an unknown id', () => {
    const violations = judgeRequirements([...sources, plant('core/src/x.test.ts', 'verif' + "ies('H9-1');")]);
    assert.ok(rules(violations).includes('unknown-requirement'));
  });

  it('refuses a due requirement that nothing cites', () => {
    assert.ok(rules(judgeRequirements([])).includes('unproven-requirement'));
  });

  it('knows every id once', () => {
    const { size } = new Set(BLOCKS.map((block) => `${block.capability} ${block.source}`));
    assert.equal(size, BLOCKS.length);
    const unknown = 'H3-9999';
    assert.throws(() => verifies(unknown), /expected a requirement id/);
  });
});

describe('licence gate', () => {
  it('finds nothing in the lock file', () => {
    assert.equal(show(judgeLicences(readLock(ROOT))), '');
  });

  it('refuses a copyleft dependency, one without a licence and one that runs a script', () => {
    const planted = {
      'node_modules/a': { version: '1.0.0', license: 'AGPL-3.0-only' },
      'node_modules/b': { version: '1.0.0' },
      'node_modules/c': { version: '1.0.0', license: 'MIT', hasInstallScript: true },
      'node_modules/d': { version: '1.0.0', license: '(MIT OR GPL-3.0)' },
    };
    assert.deepEqual(rules(judgeLicences(planted)), ['licence', 'licence', 'install-script']);
  });
});
