import type { AlertAnswer, AlertIdentity, AlertStates } from '@hephaisto/core/ports/alerts';
import { z } from 'zod';
import { getJson, type JsonGetOptions } from '../json-get.ts';

const alerts = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    status: z.object({ state: z.string() }).optional(),
  }),
);

/** No alerting system is configured: the question is dropped, and it is said. */
export const NO_ALERTMANAGER: AlertStates = { stillFiring: () => Promise.resolve({ kind: 'not-configured' }) };

/**
 * The state of alerts at an Alertmanager. Asks by name and compares all labels here, since a filter matches label values and not an
 * alert. Silenced and inhibited alerts still fire.
 */
export function createAlertmanagerStates(options: JsonGetOptions): AlertStates {
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

async function ask(options: JsonGetOptions, alertname: string): Promise<Asked> {
  const query = { filter: `alertname=${JSON.stringify(alertname)}` };
  const answer = await getJson(options, { path: '/api/v2/alerts', query });
  if (answer.kind === 'failure') return { kind: 'failed', message: `Alertmanager at ${answer.message}` };
  const parsed = alerts.safeParse(answer.value);
  return parsed.success
    ? { kind: 'found', found: parsed.data }
    : { kind: 'failed', message: 'Alertmanager answered something that is no list of alerts' };
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
