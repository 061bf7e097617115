import { runContract } from '../../contract/run-contract.ts';
import type { Context } from '../context.ts';

const DIFFERENCES_SHOWN = 5;

/** Every case of the contract, on the simulated cluster and on a real one of its own; each is one check. */
export async function runContractSuite(context: Context): Promise<void> {
  const { failed, passed } = await runContract(context.say, {
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
}
