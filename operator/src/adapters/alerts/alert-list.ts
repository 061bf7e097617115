import type { KubeRead } from '@hephaisto/core/ports/kube';
import type { AlertingReader } from '@hephaisto/core/ports/observability';
import { type ZodType, z } from 'zod';
import { getJson, type JsonGetOptions } from '../json-get.ts';

const alerts = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).default({}),
    startsAt: z.string(),
    status: z.object({ state: z.string(), silencedBy: z.array(z.string()).default([]) }),
  }),
);
const silences = z.array(
  z.object({
    matchers: z.array(
      z.object({
        name: z.string(),
        value: z.string(),
        isEqual: z.boolean().default(true),
        isRegex: z.boolean().default(false),
      }),
    ),
    endsAt: z.string(),
    createdBy: z.string().default(''),
    comment: z.string().default(''),
    status: z.object({ state: z.string() }),
  }),
);

/** Alerts and silences of an Alertmanager, for whoever investigates. */
export function createAlertReader(options: JsonGetOptions): AlertingReader {
  async function read<T>(path: string, schema: ZodType<T>, signal: AbortSignal | undefined): Promise<KubeRead<T>> {
    const answer = await getJson(options, { path, signal });
    if (answer.kind === 'failure') return answer;
    const parsed = schema.safeParse(answer.value);
    return parsed.success
      ? { kind: 'ok', value: parsed.data }
      : { kind: 'failure', reason: 'malformed', message: 'Alertmanager answered something that is no list of its own' };
  }
  return {
    async alerts(signal) {
      const found = await read('/api/v2/alerts', alerts, signal);
      if (found.kind === 'failure') return found;
      return {
        kind: 'ok',
        value: found.value.map(({ labels, annotations, startsAt, status }) => ({
          labels,
          state: status.state,
          since: startsAt,
          summary: annotations.summary ?? annotations.description ?? '',
          silenced: status.silencedBy.length > 0,
        })),
      };
    },
    async silences(signal) {
      const found = await read('/api/v2/silences', silences, signal);
      if (found.kind === 'failure') return found;
      return {
        kind: 'ok',
        value: found.value
          .filter(({ status }) => status.state === 'active')
          .map(({ matchers, endsAt, createdBy, comment }) => ({
            matchers: matchers.map(
              ({ name, value, isEqual, isRegex }) => `${name}${isEqual ? '' : '!'}${isRegex ? '=~' : '='}${value}`,
            ),
            endsAt,
            createdBy,
            comment,
          })),
      };
    },
  };
}
