import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { furnishCluster } from '../../real/harness/cluster.ts';
import { ALL_PARTS, startWorld } from '../../world/world.ts';
import { measureAdmission } from './admission.ts';
import { measureIdle } from './idle.ts';
import { measureReceipt } from './intake.ts';
import { measureLine } from './line.ts';
import { share } from './share.ts';

interface Row {
  readonly what: string;
  readonly figure: string;
  readonly beside: string;
}

const PAGE = fileURLToPath(new URL('../../../docs/reference/speed-real.md', import.meta.url));

/** Measures the real world once and prints one table; `--write` puts it on its page. Exit code 1 only when something cannot be measured. */
export async function measureReal(args: readonly string[]): Promise<number> {
  const say = (line: string) => void process.stderr.write(`bench: ${line}\n`);
  const rows: Row[] = [];
  const add = (row: Row) => {
    rows.push(row);
    process.stdout.write(`${row.what}: ${row.figure} (${row.beside})\n`);
  };
  let missing = 0;
  /** What cannot be measured is told and does not take the rest with it. */
  const measure = async (what: string, body: () => Promise<void>) => {
    try {
      await body();
    } catch (error: unknown) {
      missing += 1;
      say(`${what} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const world = await startWorld(ALL_PARTS, say);
  try {
    await measure('intake', async () => {
      for (const { batch, ours, alertmanager } of await measureReceipt(world))
        add({
          what: `alerts taken a second over HTTP, ${batch} a post, committed in PostgreSQL before the answer`,
          figure: `${ours.toFixed(0)}/s`,
          beside: `Alertmanager, in memory: ${alertmanager.toFixed(0)}/s`,
        });
    });
    await measure('admission', async () => {
      const { concurrent, admissions, p50Ms, p99Ms } = await measureAdmission(world);
      add({
        what: `admission, ${concurrent} at a time on PostgreSQL, ${admissions} in all`,
        figure: `p99 ${p99Ms.toFixed(0)} ms`,
        beside: `p50 ${p50Ms.toFixed(0)} ms`,
      });
    });
    const cluster = await furnishCluster(world);
    try {
      await measure('the line', async () => {
        const { findings, refusals } = await measureLine(world, cluster, say);
        add({
          what: `fault visible in the API to grounded finding, real control plane, ${findings.length} runs`,
          figure: `p50 ${share(findings, 0.5).toFixed(0)} ms`,
          beside: `longest ${Math.max(...findings).toFixed(0)} ms`,
        });
        add({
          what: `stop pulled at one replica to refusal at the other, ${refusals.length} runs`,
          figure: `p50 ${share(refusals, 0.5).toFixed(0)} ms`,
          beside: `longest ${Math.max(...refusals).toFixed(0)} ms; none was let through`,
        });
      });
      await measure('memory and idle CPU', async () => {
        const { pods, operator, informer } = await measureIdle(world, cluster, say);
        add({
          what: `resident memory with ${pods} pods played by KWOK, the whole operator`,
          figure: `${operator.residentMiB.toFixed(0)} MiB`,
          beside: `client-go informers alone, same kinds: ${informer.residentMiB.toFixed(0)} MiB`,
        });
        add({
          what: `idle CPU with ${pods} pods, of one core`,
          figure: `${operator.cpuPercent.toFixed(1)} %`,
          beside: `client-go informers alone: ${informer.cpuPercent.toFixed(1)} %`,
        });
      });
    } finally {
      await cluster.close();
    }
  } finally {
    await world.stop();
  }
  if (args.includes('--write')) writeFileSync(PAGE, page(rows));
  return missing === 0 ? 0 : 1;
}

function page(rows: readonly Row[]): string {
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}`;
  return [
    '# Speed in the real world',
    '',
    `Measured in one run of \`npm run bench -- --real --write\` on ${machine}, with the control plane (Kubernetes 1.36), PostgreSQL 16,`,
    'Alertmanager, the pods and the operators all on that machine. Figures are what this machine gave; what stands beside each is of the same run.',
    '',
    '| what | figure | beside it |',
    '|---|---|---|',
    ...rows.map(({ what, figure, beside }) => `| ${what} | ${figure} | ${beside} |`),
    '',
  ].join('\n');
}
