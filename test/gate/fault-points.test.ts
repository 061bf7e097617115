import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '../src/verifies.ts';
import { judgeFaultPoints } from './fault-points.ts';
import { readSources, type Source } from './sources.ts';

const POINTS = ['a:done', 'admit:seen', 'act:seen'];
/** Code that breaks nothing and has every point, so that a planted part is all that is found. */
const WHOLE: readonly Source[] = [
  {
    path: 'operator/src/flow/5-plan/whole.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code that holds a template
    text: "async function f() {\n  const x = await deps.db.transaction(async (tx) => { g(tx, ')'); });\n  await deps.faults.hit('a:done');\n  await deps.faults.hit(`${point}:seen`);\n}",
  },
];

describe('fault point gate', () => {
  it('finds nothing in the repository', () => {
    verifies('H4-20');
    const violations = judgeFaultPoints(readSources());
    assert.equal(violations.map(({ path, rule, message }) => `${path}: ${rule}: ${message}`).join('\n'), '');
  });

  it('finds nothing where every commit has its point', () => {
    assert.deepEqual(judgeFaultPoints(WHOLE, POINTS), []);
  });

  const PLANTED: Readonly<Record<string, readonly [text: string, rule: string]>> = {
    'a transaction that nothing follows': [
      'await deps.db.transaction(async (tx) => write(tx));\nreturn 1;',
      'commit-without-fault-point',
    ],
    'a transaction that is returned': [
      'return await deps.db.transaction(async (tx) => write(tx));',
      'commit-without-fault-point',
    ],
    'a point behind a condition': [
      "const done = await commit(deps, held, action, (tx) => write(tx));\nif (done) await deps.faults.hit('act:seen2');",
      'commit-without-fault-point',
    ],
    'a statement of its own that writes': [
      "await deps.db.execute('UPDATE incidents SET title = $1', [1]);",
      'commit-without-fault-point',
    ],
    'a statement that writes and answers': [
      'const rows = await db.query<{ id: string }>(`INSERT INTO intake (body) VALUES ($1) RETURNING id`, [body]);',
      'commit-without-fault-point',
    ],
    'the database handed to a function that writes': [
      'await note(deps.db, 1);\n}\nasync function note(sql: Sql, id: number) {\n  await sql.execute("DELETE FROM signals", [id]);',
      'commit-without-fault-point',
    ],
    'a point that nobody lists': ["await deps.faults.hit('a:new');", 'unknown-fault-point'],
    'one point in two places': ["await deps.faults.hit('a:done');", 'fault-point-twice'],
    'a fault point that does something in production': [
      'const faults = { hit: (point) => process.exit(1) };',
      'armed-fault-point',
    ],
  };
  for (const [name, [text, rule]] of Object.entries(PLANTED)) {
    it(`refuses ${name}`, () => {
      const planted = { path: 'operator/src/flow/5-plan/x.ts', text: `async function f() {\n${text}\n}\n` };
      const found = judgeFaultPoints([...WHOLE, planted], POINTS).map((violation) => violation.rule);
      assert.ok(found.includes(rule), `expected ${rule}, found ${JSON.stringify(found)}`);
    });
  }

  it('refuses a listed point that no code has', () => {
    const found = judgeFaultPoints(WHOLE, [...POINTS, 'a:gone']).map((violation) => violation.rule);
    assert.deepEqual(found, ['fault-point-without-place']);
  });

  it('lets statements that read, and row locks, pass', () => {
    const reads = "await db.query('SELECT 1 FROM x FOR UPDATE');\nawait db.query('SELECT 1 FROM x FOR NO KEY UPDATE');";
    assert.deepEqual(
      judgeFaultPoints(
        [...WHOLE, { path: 'operator/src/act/x.ts', text: `async function f() {\n${reads}\n}` }],
        POINTS,
      ),
      [],
    );
  });
});
