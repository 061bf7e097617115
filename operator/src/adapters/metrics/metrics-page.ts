import { METRICS } from './definitions.ts';

/** The reference of metrics. */
export function metricsPage(): string {
  const rows = Object.entries(METRICS).map(
    ([name, { kind, labels, help }]) =>
      `| \`hephaisto_${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ') || '–'} | ${help} |`,
  );
  return [
    '# Metrics',
    '',
    'Served at `/metrics` in the exposition format of Prometheus, without authentication, on the main port or on `server.metricsPort`.',
    'Labels are bounded: no pod, incident or fingerprint. The process’s own metrics come besides, under the same prefix.',
    '',
    '| metric | kind | labels | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
