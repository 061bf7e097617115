import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppliedMigration, type Migration, nextMigration } from './migration-plan.ts';

const KNOWN: readonly Migration[] = ['1_a', '2_b', '3_c'].map((name) => ({
  name,
  checksum: `sum of ${name}`,
  sql: '',
}));

function applied(...names: string[]): AppliedMigration[] {
  return names.map((name) => ({
    migration_name: name,
    checksum: `sum of ${name}`,
    finished_at: new Date(0),
    rolled_back_at: null,
  }));
}

interface Case {
  readonly history: readonly AppliedMigration[];
  readonly otherTables?: boolean;
  readonly expected: readonly [kind: string, detail: string];
}

const CASES: Readonly<Record<string, Case>> = {
  'an empty database starts with the first migration': { history: [], expected: ['apply', '1_a'] },
  'a database in the middle goes on where it stopped': { history: applied('1_a'), expected: ['apply', '2_b'] },
  'a gap is filled, since a branch may land an older migration later': {
    history: applied('1_a', '3_c'),
    expected: ['apply', '2_b'],
  },
  'a complete history leaves nothing to do': {
    history: applied('1_a', '2_b', '3_c'),
    expected: ['up-to-date', 'every-migration-applied'],
  },
  'one unknown migration among ours means a newer product': {
    history: applied('1_a', '2_b', '3_c', '4_d'),
    expected: ['refuse', 'DatabaseNewer'],
  },
  'only unknown migrations mean another product': {
    history: applied('x', 'y'),
    expected: ['refuse', 'DatabaseForeign'],
  },
  'tables without a history are somebody else’s': {
    history: [],
    otherTables: true,
    expected: ['refuse', 'DatabaseForeign'],
  },
  'a landed migration with another text is refused': {
    history: applied('1_a').map((row) => ({ ...row, checksum: 'another' })),
    expected: ['refuse', 'MigrationChanged'],
  },
  'a migration that never finished is refused': {
    history: applied('1_a').map((row) => ({ ...row, finished_at: null })),
    expected: ['refuse', 'MigrationFailed'],
  },
  'a migration marked as rolled back is applied again': {
    history: applied('1_a').map((row) => ({ ...row, finished_at: null, rolled_back_at: new Date(0) })),
    expected: ['apply', '1_a'],
  },
};

for (const [sentence, { history, otherTables, expected }] of Object.entries(CASES)) {
  test(sentence, () => {
    const step = nextMigration(KNOWN, history, otherTables ?? false);
    assert.deepEqual([step.kind, step.kind === 'apply' ? step.migration.name : step.reason], expected);
  });
}
