import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { furnishCluster, type RealCluster } from '../../real/harness/cluster.ts';
import { startWorld, type World, type WorldParts } from '../../world/world.ts';
import { machineText } from '../machine.ts';
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

interface Bench {
  readonly world: World;
  /** Furnished when it is first asked for: its kubelet would take part in what is measured without it. */
  readonly cluster: () => Promise<RealCluster>;
  readonly say: (line: string) => void;
}

interface Part {
  readonly needs: WorldParts;
  measure(bench: Bench): Promise<readonly Row[]>;
}

/** The parts that are asked for by `--only NAME,NAME`; all of them without it. */
function asked(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--only');
  return at < 0 ? Object.keys(PARTS) : (args[at + 1] ?? '').split(',');
}

const PARTS: Readonly<Record<string, Part>> = {
  intake: {
    needs: { cluster: false, postgres: true, alerting: true },
    async measure({ world }) {
      return (await measureReceipt(world)).map(({ batch, ours, alertmanager }) => ({
        what: `alerts taken a second over HTTP, ${batch} a post, committed in PostgreSQL before the answer`,
        figure: `${ours.toFixed(0)}/s`,
        beside: `Alertmanager, in memory: ${alertmanager.toFixed(0)}/s`,
      }));
    },
  },
  admission: {
    needs: { cluster: false, postgres: true, alerting: false },
    async measure({ world }) {
      const { concurrent, admissions, p50Ms, p99Ms, firstMs } = await measureAdmission(world);
      return [
        {
          what: `admission, ${concurrent} at a time on PostgreSQL, ${admissions} in all`,
          figure: `p99 ${p99Ms.toFixed(0)} ms`,
          beside: `p50 ${p50Ms.toFixed(0)} ms; slowest of the first ${concurrent}, which open the connections: ${firstMs.toFixed(0)} ms`,
        },
      ];
    },
  },
  line: {
    needs: { cluster: true, postgres: true, alerting: true },
    async measure({ world, cluster, say }) {
      const { findings, refusals, notices } = await measureLine(world, await cluster(), say);
      return [
        {
          what: `first container that ended with an error to grounded finding, real control plane, without the wait for a rollout that may still succeed, ${findings.length} runs`,
          figure: `p50 ${share(findings, 0.5).toFixed(0)} ms, p95 ${share(findings, 0.95).toFixed(0)} ms`,
          beside: `longest ${Math.max(...findings).toFixed(0)} ms`,
        },
        {
          what: `stop pulled at one replica to the refusal of an approval at the other, ${refusals.length} runs`,
          figure: `p50 ${share(refusals, 0.5).toFixed(0)} ms`,
          beside: `longest ${Math.max(...refusals).toFixed(0)} ms; none was let through`,
        },
        {
          what: `stop written in the ConfigMap to both replicas standing still, ${notices.length} runs`,
          figure: `p50 ${share(notices, 0.5).toFixed(0)} ms`,
          beside: `longest ${Math.max(...notices).toFixed(0)} ms`,
        },
      ];
    },
  },
  idle: {
    needs: { cluster: true, postgres: true, alerting: true },
    async measure({ world, cluster, say }) {
      const { pods, operator, informer } = await measureIdle(world, await cluster(), say);
      return [
        {
          what: `resident memory with ${pods} pods played by KWOK, the whole operator`,
          figure: `${operator.residentMiB.toFixed(0)} MiB`,
          beside: `client-go informers alone, same kinds: ${informer.residentMiB.toFixed(0)} MiB`,
        },
        {
          what: `idle CPU with ${pods} pods, of one core`,
          figure: `${operator.cpuPercent.toFixed(1)} %`,
          beside: `client-go informers alone: ${informer.cpuPercent.toFixed(1)} %`,
        },
      ];
    },
  },
};

/**
 * Measures the real world once and prints one table; `--write` puts it on its page, `--only` measures the named parts alone. Exit code 1 only when
 * something cannot be measured, 2 when it is not clear what is asked for.
 */
export async function measureReal(args: readonly string[]): Promise<number> {
  const say = (line: string) => void process.stderr.write(`bench: ${line}\n`);
  const names = asked(args);
  const unknown = names.filter((name) => PARTS[name] === undefined);
  if (unknown.length > 0 || (args.includes('--only') && args.includes('--write'))) {
    say(
      unknown.length > 0
        ? `expected parts of ${Object.keys(PARTS).join(', ')}, found \`${unknown.join(',')}\``
        : 'expected the page to be written from a run of all parts, found --only; leave one of the two out',
    );
    return 2;
  }
  const parts = names.flatMap((name) => Object.entries(PARTS).filter(([each]) => each === name));
  const needs = {
    cluster: parts.some(([, part]) => part.needs.cluster),
    postgres: parts.some(([, part]) => part.needs.postgres),
    alerting: parts.some(([, part]) => part.needs.alerting),
  };
  const rows: Row[] = [];
  let missing = 0;
  const world = await startWorld(needs, say);
  let furnished: RealCluster | undefined;
  const cluster = async () => {
    furnished ??= await furnishCluster(world);
    return furnished;
  };
  try {
    for (const [name, part] of parts) {
      const started = performance.now();
      try {
        const found = await part.measure({ world, say, cluster });
        for (const { what, figure, beside } of found) process.stdout.write(`${what}: ${figure} (${beside})\n`);
        rows.push(...found);
      } catch (error: unknown) {
        // What cannot be measured is told and does not take the rest with it.
        missing += 1;
        say(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
      }
      say(`${name} took ${((performance.now() - started) / 1000).toFixed(0)} s`);
    }
  } finally {
    await furnished?.close();
    await world.stop();
  }
  if (args.includes('--write') && missing === 0) writeFileSync(PAGE, page(rows));
  return missing === 0 ? 0 : 1;
}

function page(rows: readonly Row[]): string {
  return [
    '# Speed in the real world',
    '',
    `Measured in one run of \`npm run bench -- --real --write\` on ${machineText()}, with the control plane (Kubernetes 1.36), PostgreSQL 16,`,
    'Alertmanager, the pods and the operators all on that machine. Figures are what this machine gave; what stands beside each is of the same run.',
    '',
    '| what | figure | beside it |',
    '|---|---|---|',
    ...rows.map(({ what, figure, beside }) => `| ${what} | ${figure} | ${beside} |`),
    '',
    'Senders are eight at a time, from the same machine; what they send is committed with fsync before they are thanked, and settled meanwhile. The fault is a',
    'rollout that crashes, timed from the first write of a container that ended with an error, by the API server’s own log; two replicas watch, of which one',
    'leads, with the demo’s waits divided by ten. Nearly all of that time passes until the kubelet says CrashLoopBackOff: a container that ends once and comes back',
    'is no incident. The stop is timed from the answer to whoever pulled it to the answer to whoever approves at the other',
    'replica, which first judges the action against the live cluster. The operator at rest serves its console and API and asks its database about once a second',
    'for each stage; the informers only keep objects.',
    '',
    '`npm run bench -- --real --only intake,admission,line,idle` measures any of them alone.',
    '',
  ].join('\n');
}
