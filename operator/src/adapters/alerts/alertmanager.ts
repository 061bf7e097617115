import http from 'node:http';
import https from 'node:https';
import type { AlertAnswer, AlertIdentity, AlertStates } from '@hephaisto/core/ports/alerts';
import { z } from 'zod';

const MAX_BYTES = 8 * 1024 * 1024;

const alerts = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    status: z.object({ state: z.string() }).optional(),
  }),
);

export interface AlertmanagerOptions {
  /** Base address, e.g. `http://alertmanager.monitoring:9093`. */
  readonly url: string;
  readonly timeoutMs: number;
  /** Sent as a bearer token where given. */
  readonly token?: string;
}

/** No alerting system is configured: the question is dropped, and it is said. */
export const NO_ALERTMANAGER: AlertStates = { stillFiring: () => Promise.resolve({ kind: 'not-configured' }) };

/**
 * The state of alerts at an Alertmanager. Asks by name and compares all labels here, since a filter matches label values and not an
 * alert. Silenced and inhibited alerts still fire.
 */
export function createAlertmanagerStates(options: AlertmanagerOptions): AlertStates {
  return {
    async stillFiring(wanted) {
      const firing: string[] = [];
      const names = new Set(wanted.map(({ labels }) => labels.alertname ?? ''));
      for (const name of names) {
        const answer = await ask(options, name);
        if (answer.kind === 'failed') return { kind: 'unreachable', message: answer.message };
        const still = wanted.filter(
          (each) => each.labels.alertname === name && answer.found.some((found) => same(found, each)),
        );
        firing.push(...still.map(titleOf));
      }
      return { kind: 'answered', firing } satisfies AlertAnswer;
    },
  };
}

type Asked =
  | { readonly kind: 'found'; readonly found: readonly AlertIdentity[] }
  | { readonly kind: 'failed'; readonly message: string };

async function ask(options: AlertmanagerOptions, alertname: string): Promise<Asked> {
  try {
    const url = new URL('/api/v2/alerts', options.url);
    url.searchParams.set('filter', `alertname=${JSON.stringify(alertname)}`);
    const answer = await get(url, options);
    if (answer.status !== 200) return { kind: 'failed', message: `Alertmanager answered ${answer.status}` };
    const parsed = alerts.safeParse(JSON.parse(answer.text));
    return parsed.success
      ? { kind: 'found', found: parsed.data }
      : { kind: 'failed', message: 'Alertmanager answered something that is no list of alerts' };
  } catch (error: unknown) {
    return {
      kind: 'failed',
      message: `Alertmanager does not answer: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function get(url: URL, options: AlertmanagerOptions): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const request = (url.protocol === 'https:' ? https : http).get(
    url,
    {
      signal: AbortSignal.timeout(options.timeoutMs),
      headers: {
        accept: 'application/json',
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      },
    },
    (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BYTES) response.destroy(new Error(`expected at most ${MAX_BYTES} bytes of alerts`));
        else chunks.push(chunk);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    },
  );
  request.on('error', reject);
  return promise;
}

function same(a: AlertIdentity, b: AlertIdentity): boolean {
  const names = Object.keys(a.labels);
  return names.length === Object.keys(b.labels).length && names.every((name) => a.labels[name] === b.labels[name]);
}

function titleOf({ labels }: AlertIdentity): string {
  const where = [labels.namespace, labels.deployment ?? labels.job_name ?? labels.pod]
    .filter((part) => part !== undefined)
    .join('/');
  return where === '' ? (labels.alertname ?? 'alert') : `${labels.alertname ?? 'alert'} on ${where}`;
}
