import { digestLog } from '@hephaisto/core/evidence/log-digest';
import { DIGEST_BYTES, renderLogDigest } from '@hephaisto/core/evidence/render-digest';
import type { Tool } from '../../tool.ts';
import { getLogsArgs } from './schema.ts';

const TAIL_LINES = 5_000;
const LIMIT_BYTES = 1_048_576;

export const getLogs: Tool<'get_logs', string> = {
  name: 'get_logs',
  description:
    'Digest of a container log: lines that repeat with counts and times, lines that name trouble with their neighbours, the last 40 lines.',
  schema: getLogsArgs,
  effect: 'read',
  maxBytes: DIGEST_BYTES,
  wouldHaveTold: 'what the process itself said before it failed',
  contentType: 'text/plain; charset=utf-8',
  namespaceOf: (args) => args.namespace,
  read: (reader, args) =>
    reader.logs(args.namespace, args.pod, args.container, {
      previous: args.previous,
      tailLines: TAIL_LINES,
      limitBytes: LIMIT_BYTES,
    }),
  view(raw, { pod, container, previous }) {
    const digest = digestLog(raw);
    const text = renderLogDigest(`log of ${pod}/${container}${previous ? ', previous life' : ''}`, digest);
    const kept = [...digest.notable, ...digest.tail].sort((a, b) => a.number - b.number).map((line) => line.text);
    const lines = [...new Set(kept)].filter((line) => line !== '' && text.includes(line));
    return { value: { pod, container, previous, lines }, text };
  },
};
