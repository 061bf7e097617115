import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measureClusterHealth } from './cluster-health.ts';
import { measureFaultToFinding } from './fault-to-finding.ts';
import { measureFreeLoop } from './free-loop.ts';
import { measureIntake } from './intake.ts';
import { machineText } from './machine.ts';
import { measureDemo } from './memory.ts';
import { measureDigest, measureFirstPrompt } from './model.ts';
import { measureCacheShare, measureChannel } from './model-calls.ts';
import { measurePolicy } from './policy.ts';
import { measureRedaction } from './redaction.ts';
import { measureStreams } from './stream.ts';

interface Row {
  readonly what: string;
  readonly figure: string;
  readonly bar: string;
  readonly met: boolean;
}

const PAGE = fileURLToPath(new URL('../../docs/reference/speed.md', import.meta.url));
const RUNS = 15;

/** What may be measured by itself with `--only NAME,…`. */
const MEASURES: Readonly<Record<string, (say: (row: Row) => void) => void | Promise<void>>> = {
  intake: async (say) => {
    const intake = await measureIntake();
    const { bodiesPerSecond, barePerSecond, ratio, database } = intake;
    say({
      what: `webhook bodies stored, ${database}, against a bare insert and commit a body`,
      figure: `${ratio.toFixed(2)} (${bodiesPerSecond.toFixed(0)}/s against ${barePerSecond.toFixed(0)}/s)`,
      bar: 'at least 0.5',
      met: ratio >= 0.5,
    });
  },
  policy: (say) => {
    const decisions = measurePolicy();
    say({
      what: 'policy decisions',
      figure: `${decisions.toFixed(0)}/s`,
      bar: 'at least 100,000/s',
      met: decisions >= 100_000,
    });
  },
  streams: async (say) => {
    const { streams, sessions, cpuMs, aloneMs } = await measureStreams();
    say({
      what: `CPU of one event for ${streams} live streams of ${sessions} sessions`,
      figure: `${cpuMs.toFixed(1)} ms (with one stream ${aloneMs.toFixed(1)} ms)`,
      bar: 'at most 20 ms',
      met: cpuMs <= 20,
    });
  },
  health: async (say) => {
    const health = await measureClusterHealth();
    const { pods, proposals, clusterLists, idleLists } = health;
    say({
      what: `list calls for ${proposals} open proposals in a cluster of ${pods.toLocaleString('en')} pods: of the whole cluster at any time, and of anything while nothing moves`,
      figure: `${clusterLists} and ${idleLists} (a pass takes ${health.passMs.toFixed(0)} ms, a count ${health.countMs.toFixed(1)} ms)`,
      bar: '0 and 0',
      met: clusterLists === 0 && idleLists === 0,
    });
  },
  digest: (say) => {
    const digest = measureDigest();
    say({
      what: 'log digest, a million lines on one core',
      figure: `${digest.linesPerSecond.toFixed(0)} lines/s, process grew by ${digest.grewMiB.toFixed(0)} MiB`,
      bar: 'at least 1,000,000 lines/s',
      met: digest.linesPerSecond >= 1_000_000,
    });
  },
  redaction: (say) => {
    const { ordinaryMs, hostileMs, longestStepMs } = measureRedaction();
    say({
      what: '1 MiB of log redacted, usual lines and the worst of those made to cost the most',
      figure: `${ordinaryMs.toFixed(0)} ms and ${hostileMs.toFixed(0)} ms`,
      bar: 'at most 1 s',
      met: Math.max(ordinaryMs, hostileMs) <= 1000,
    });
    say({
      what: 'longest that redaction of these texts holds the event loop',
      figure: `${longestStepMs.toFixed(0)} ms`,
      bar: 'at most 100 ms',
      met: longestStepMs <= 100,
    });
  },
  prompt: (say) => {
    const prompt = measureFirstPrompt();
    say({
      what: 'first prompt of a bad rollout, owner tree of 20 pods',
      figure: `${prompt} tokens (estimated)`,
      bar: 'at most 6,000',
      met: prompt <= 6_000,
    });
  },
  call: async (say) => {
    const channel = await measureChannel();
    say({
      what: `a call of a model over a server that answers at once, its rows written, prompt of ${(channel.promptBytes / 1024).toFixed(0)} KiB`,
      figure: `p50 ${channel.p50Ms.toFixed(1)} ms, p95 ${channel.p95Ms.toFixed(1)} ms`,
      bar: 'p95 at most 20 ms',
      met: channel.p95Ms <= 20,
    });
  },
  cache: async (say) => {
    for (const wire of ['gemini', 'openai'] as const) {
      const { kept, known, calls } = await measureCacheShare(wire);
      say({
        what: `bytes of a prompt that the next repeats at its head, ${wire}, ${calls} calls`,
        figure: `${(100 * kept).toFixed(1)} % (${(100 * known).toFixed(1)} % of each prompt was sent before)`,
        bar: 'at least 90 %',
        met: kept >= 0.9,
      });
    }
  },
  finding: async (say) => {
    const finding = await measureFaultToFinding(RUNS);
    say({
      what: `fault visible in the API to grounded finding, without the wait for a rollout that may still succeed, ${finding.runs} runs`,
      figure: `p50 ${finding.p50Ms} ms, p95 ${finding.p95Ms} ms, longest ${finding.maxMs} ms`,
      bar: 'p50 at most 500 ms, p95 at most 2 s',
      met: finding.p50Ms <= 500 && finding.p95Ms <= 2000,
    });
  },
  loop: async (say) => {
    for (const { phase, p99Ms, maxMs, livezMs } of await measureFreeLoop())
      say({
        what: `event-loop delay, embedded database, ${phase}`,
        figure: `p99 ${p99Ms.toFixed(0)} ms, longest ${maxMs.toFixed(0)} ms; slowest /livez ${livezMs.toFixed(0)} ms`,
        bar: 'p99 at most 100 ms, /livez at most 1 s',
        met: p99Ms <= 100 && livezMs <= 1000,
      });
  },
  memory: async (say) => {
    const demo = await measureDemo();
    say({
      what: 'memory of the demo, first start',
      figure: `${demo.firstStartMiB.toFixed(0)} MiB`,
      bar: 'at most 700 MB',
      met: demo.firstStartMiB <= 667,
    });
    say({
      what: 'memory of the demo, later start',
      figure: `${demo.laterStartMiB.toFixed(0)} MiB`,
      bar: 'at most 500 MB',
      met: demo.laterStartMiB <= 476,
    });
    say({
      what: 'first page of a later start',
      figure: `${(demo.laterReadyMs / 1000).toFixed(1)} s`,
      bar: 'at most 5 s',
      met: demo.laterReadyMs <= 5000,
    });
  },
};

/** Measures everything once and prints one table; `--write` puts all of it on its page, `--only` measures what it names, `--real` measures in the real world instead. Exit code 1 when a bar is missed. */
async function main(args: readonly string[]): Promise<number> {
  // Needs more than npm, so it is loaded only when it is asked for.
  if (args.includes('--real')) return (await import('./real/main.ts')).measureReal(args);
  const rows: Row[] = [];
  const say = (row: Row) => {
    rows.push(row);
    process.stdout.write(`${row.met ? 'met   ' : 'MISSED'}  ${row.what}: ${row.figure} (${row.bar})\n`);
  };
  const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '').split(',') : Object.keys(MEASURES);
  for (const name of only) {
    const measure = MEASURES[name];
    if (measure === undefined)
      throw new Error(`expected --only with names of ${Object.keys(MEASURES).join(', ')}, found \`${name}\``);
    await measure(say);
  }
  if (args.includes('--write') && !args.includes('--only')) writeFileSync(PAGE, page(rows));
  return rows.every((row) => row.met) ? 0 : 1;
}

function page(rows: readonly Row[]): string {
  return [
    '# Speed and memory',
    '',
    `Measured in one run of \`npm run bench -- --write\` on ${machineText()}. Ratios are of the medians of alternating rounds; absolute figures are what`,
    'this machine gave.',
    '',
    '| what | figure | bar | |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row.what} | ${row.figure} | ${row.bar} | ${row.met ? 'met' : 'missed'} |`),
    '',
  ].join('\n');
}

process.exitCode = await main(process.argv.slice(2));
// Nothing that a measurement left open may keep a finished run alive.
process.exit();
