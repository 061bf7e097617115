import { coveredKinds } from '../../contract/coverage.ts';
import { runContract } from '../../contract/run-contract.ts';
import type { Context } from '../context.ts';

const DIFFERENCES_SHOWN = 5;

/** Every case of the contract, on the simulated cluster and on a real one of its own; each is one check. */
export async function runContractSuite(context: Context): Promise<void> {
  const { failed, passed, covered } = await runContract(context.say, {
    onCase: ({ id, title, verdict, differences }) =>
      void context.check(`${id}: ${title}`, () => {
        if (verdict === 'same') return;
        const shown = differences
          .slice(0, DIFFERENCES_SHOWN)
          .map(({ path, simulated, real }) => `${path}: simulated ${simulated}, real ${real}`);
        throw new Error(`expected the simulation to answer as the real one does, found\n${shown.join('\n')}`);
      }),
  });
  if (failed + passed === 0) throw new Error('expected cases, found none');
  await context.check('the list of compared kinds of request holds nothing that no case asks any more', () => {
    const stale = [...coveredKinds()].filter((kind) => !covered.has(kind));
    if (stale.length > 0) throw new Error(`expected all to be asked, found not: ${stale.join('; ')}`);
  });
}
