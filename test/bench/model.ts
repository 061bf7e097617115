import { crashed, pod, replicaSet, SUBJECT } from '@hephaisto/core/diagnose/case.fixture';
import { createLogDigester } from '@hephaisto/core/evidence/log-digest';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { projectReplicaSetRevision, projectWorkload } from '@hephaisto/core/facts/project-workload';
import { investigationHead } from '@hephaisto/core/model/guidance';
import { headText } from '@hephaisto/core/model/head';
import { observedIn } from '@hephaisto/core/model/observed';
import { situationText } from '@hephaisto/core/model/situation';
import { estimateTokens } from '@hephaisto/core/model/tokens';
import { paletteOf } from '@hephaisto/operator/investigate/model/palette';
import { TOOLBOX } from '@hephaisto/operator/investigate/toolbox';
import { median } from './intake.ts';

const LINES = 1_000_000;
const CHUNK = 64 * 1_024;

/**
 * Lines of a log of a million lines for each second of processor time, pushed in parts as it would come, and how far the process grew
 * meanwhile. Time of the processor and not of the clock, and the median of nine logs, since what else runs on the machine says nothing about us.
 */
export function measureDigest(): { readonly linesPerSecond: number; readonly grewMiB: number } {
  const words = ['handled request', 'cache miss for', 'retrying upstream', 'connected to shard', 'timeout waiting for'];
  const block = Array.from(
    { length: 10_000 },
    (_, i) =>
      `2026-01-01T00:00:${String(i % 60).padStart(2, '0')}Z info ${words[i % 97 === 0 ? 4 : i % 4]} id=${i * 7919} took ${i % 900}ms`,
  ).join('\n');
  const rates: number[] = [];
  let grew = 0;
  for (let round = 0; round < 9; round += 1) {
    const before = process.memoryUsage.rss();
    const digester = createLogDigester();
    const started = process.cpuUsage();
    for (let part = 0; part < LINES / 10_000; part += 1) {
      const text = `${block}\n`;
      for (let from = 0; from < text.length; from += CHUNK) digester.push(text.slice(from, from + CHUNK));
    }
    const digest = digester.finish();
    const { user, system } = process.cpuUsage(started);
    rates.push((digest.lines * 1_000_000) / (user + system));
    grew = Math.max(grew, (process.memoryUsage.rss() - before) / 2 ** 20);
    if (digest.lines !== LINES) throw new Error(`expected ${LINES} lines, found ${digest.lines}`);
  }
  return { linesPerSecond: median(rates), grewMiB: grew };
}

/** Tokens of the first prompt of a bad rollout with an owner tree of twenty pods: head, palette and situation. */
export function measureFirstPrompt(): number {
  const pods = Array.from({ length: 20 }, (_, i) =>
    projectPod(
      i < 16
        ? pod(`app-5d9c7b6f4-x${i}`)
        : pod(`app-7f8d6c5b4-y${i}`, { revision: 2, ready: false, status: crashed() }),
    ),
  );
  const url = { name: 'PAYMENTS_URL', value: 'http://payments:8080' };
  const history = [
    replicaSet(2, { env: [{ ...url, value: 'http://payments:8O80' }] }),
    replicaSet(1, { env: [url] }, { ready: 16 }),
  ]
    .map(projectReplicaSetRevision)
    .filter((revision) => revision !== undefined);
  const owner = { kind: 'Deployment', namespace: 'shop', name: 'app' };
  const workload = projectWorkload(
    { ...owner, metadata: { name: 'app', namespace: 'shop', uid: 'u' }, spec: { replicas: 20 } },
    'Deployment',
  );
  const answer = (value: unknown) => ({ stepId: 's', text: '', tainted: false, value });
  const calls = [
    { call: { tool: 'get_workload', args: owner }, answer: answer(workload) },
    { call: { tool: 'get_pods', args: owner }, answer: answer(pods) },
    { call: { tool: 'get_rollout_history', args: owner }, answer: answer(history) },
  ];
  const excerpt =
    'changed spec.template.spec.containers[app].env[PAYMENTS_URL].value: http://payments:8080 -> http://payments:8O80';
  const situation = situationText({
    subject: SUBJECT,
    rules: [
      {
        category: 'configuration',
        statement: 'Revision 2 changed PAYMENTS_URL, and each of its pods crashes while those of revision 1 serve.',
        certainty: 'likely',
        rule: 'rollout-change',
        cause: { kind: 'unknown' },
        primary: true,
        evidence: [{ stepId: 's', excerpt }],
      },
    ],
    gaps: [],
    observed: observedIn(calls),
    steps: calls.map(({ call }) => ({ label: 'bcdfghjk', asked: `${call.tool} ${JSON.stringify(call.args)}` })),
    labelOf: () => 'bcdfghjk',
  });
  return estimateTokens(
    headText(investigationHead('The cluster is local.')) + JSON.stringify(paletteOf(TOOLBOX)) + situation,
  );
}
