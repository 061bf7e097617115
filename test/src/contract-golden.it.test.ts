import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CASES, type NamedCase } from '../contract/all-cases.ts';
import { differences } from '../contract/difference.ts';
import { readGolden } from '../contract/golden.ts';
import { type Observed, playAll } from '../contract/play.ts';
import { type ContractWorld, startSimulated } from '../contract/worlds.ts';

/** Stories take long and are played by suites of their own; what controllers do in them is in the cases before. */
const GROUPS = Object.keys(CASES).filter((group) => group !== 'stories' && group !== 'kubectl');
const DIFFERENCES_SHOWN = 5;

/** The simulated cluster against what the real control plane answered when it was last asked, so that drift shows without it. */
describe('the simulated cluster, against recorded answers of a real one', { timeout: 110_000 }, () => {
  const seen = new Map<string, Observed>();
  let world: ContractWorld | undefined;

  before(async () => {
    world = await startSimulated({ onAsked: () => undefined });
    const cases: readonly NamedCase[] = GROUPS.flatMap((group) =>
      (CASES[group] ?? []).map((each) => ({ group, case: each })),
    );
    await playAll([world], cases, (each, [observed]) => {
      if (observed !== undefined) seen.set(`${each.group}/${each.case.id}`, observed);
    });
  });
  after(() => world?.close());

  for (const group of GROUPS) {
    const golden = readGolden(group);
    for (const { id, title } of CASES[group] ?? []) {
      it(`${group}: ${title}`, () => {
        const observed = seen.get(`${group}/${id}`);
        assert.equal(observed?.kind, 'observed', observed?.kind === 'broke' ? observed.error : 'was not played');
        if (observed?.kind !== 'observed') return;
        assert.ok(
          id in golden,
          `expected a recorded answer to \`${id}\`; record it with test/contract/main.ts --record`,
        );
        assert.deepEqual(differences(observed.value, golden[id]).slice(0, DIFFERENCES_SHOWN), []);
      });
    }
  }
});
