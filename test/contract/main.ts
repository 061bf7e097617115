import { parseArgs } from 'node:util';
import { runContract } from './run-contract.ts';

const USAGE = 'expected `contract/main.ts [--only WORD] [--json] [--record]`';
const DIFFERENCES_SHOWN = 12;

/** Exit codes: 0 both clusters answer alike, 1 they do not or one cannot be had, 2 usage. */
async function main(): Promise<number> {
  const options = { only: { type: 'string' }, json: { type: 'boolean' }, record: { type: 'boolean' } } as const;
  let values: { only?: string; json?: boolean; record?: boolean };
  try {
    ({ values } = parseArgs({ options }));
  } catch (error: unknown) {
    process.stderr.write(`${USAGE}, found: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  const json = values.json === true;
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const { passed, failed } = await runContract((line) => process.stderr.write(`contract: ${line}\n`), {
    ...(values.only === undefined ? {} : { only: values.only }),
    record: values.record === true,
    onCase: (result) => {
      if (json) {
        print(JSON.stringify({ type: 'case', ...result }));
        return;
      }
      print(
        `${result.verdict === 'same' ? 'ok  ' : 'FAIL'} ${result.id} (${(result.ms / 1000).toFixed(1)} s): ${result.title}`,
      );
      for (const { path, simulated, real } of result.differences.slice(0, DIFFERENCES_SHOWN))
        print(`     ${path}\n       simulated ${simulated}\n       real      ${real}`);
      if (result.differences.length > DIFFERENCES_SHOWN)
        print(`     and ${result.differences.length - DIFFERENCES_SHOWN} more`);
    },
  });
  print(JSON.stringify({ type: 'summary', passed, failed, skipped: 0 }));
  return failed === 0 && passed > 0 ? 0 : 1;
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`contract: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
