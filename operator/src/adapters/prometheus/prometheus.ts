import type { Clock } from '@hephaisto/core/ports/clock';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { MetricSample, MetricSeries, MetricsReader } from '@hephaisto/core/ports/observability';
import { z } from 'zod';
import { getJson, type JsonGetOptions } from '../json-get.ts';

const labels = z.record(z.string(), z.string());
const point = z.tuple([z.number(), z.string()]);
const answer = z.object({
  status: z.string(),
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: labels, value: point })) }),
    z.object({
      resultType: z.literal('matrix'),
      result: z.array(z.object({ metric: labels, values: z.array(point) })),
    }),
    z.object({ resultType: z.literal('scalar'), result: point }),
    z.object({ resultType: z.literal('string'), result: point }),
  ]),
});
type Data = z.infer<typeof answer>['data'];

/** The query API of a Prometheus, or of anything that speaks it. */
export function createPrometheusReader(clock: Clock, options: JsonGetOptions): MetricsReader {
  async function ask(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<KubeRead<Data>> {
    const read = await getJson(options, { path, query, signal });
    if (read.kind === 'failure') return read;
    const parsed = answer.safeParse(read.value);
    return parsed.success ? { kind: 'ok', value: parsed.data.data } : malformed();
  }
  return {
    async instant(query, signal) {
      const read = await ask('api/v1/query', { query }, signal);
      return read.kind === 'failure' ? read : { kind: 'ok', value: samplesOf(read.value) };
    },
    async range(query, { minutes, stepSeconds }, signal) {
      const end = Math.floor(clock.now().getTime() / 1_000);
      const read = await ask(
        'api/v1/query_range',
        { query, start: String(end - minutes * 60), end: String(end), step: String(stepSeconds) },
        signal,
      );
      return read.kind === 'failure' ? read : { kind: 'ok', value: seriesOf(read.value) };
    },
  };
}

function samplesOf(data: Data): readonly MetricSample[] {
  if (data.resultType === 'vector')
    return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  if (data.resultType === 'matrix') return [];
  return [{ labels: {}, value: Number(data.result[1]) }];
}

function seriesOf(data: Data): readonly MetricSeries[] {
  if (data.resultType !== 'matrix') return [];
  return data.result.map(({ metric, values }) => ({
    labels: metric,
    points: values.map(([at, value]) => [at, Number(value)] as const),
  }));
}

function malformed(): KubeFailure {
  return { kind: 'failure', reason: 'malformed', message: 'expected an answer of the query API, found something else' };
}
