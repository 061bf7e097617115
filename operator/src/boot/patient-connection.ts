import type { Timers } from '@hephaisto/core/ports/clock';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import type { KubeConnection } from '../adapters/kube/connection.ts';

type Requests = Pick<KubeConnection, 'server' | 'request'>;

const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Asks again, after growing pauses, what the API server was too busy to answer: a busy moment must not refuse the start. For reads and reviews
 * only, since it repeats requests. Every other failure is passed on at once.
 */
export function createPatientConnection(
  connection: Requests,
  deps: { readonly timers: Timers; readonly log: Logger },
): Requests {
  return {
    server: connection.server,
    async request(call) {
      for (const pauseMs of PAUSES_MS) {
        const answer = await connection.request(call);
        if (answer.kind === 'ok' || !isBusy(answer)) return answer;
        const waitMs = Math.min(LONGEST_PAUSE_MS, Math.max(pauseMs, (answer.retryAfterSeconds ?? 0) * 1_000));
        deps.log.info('the API server is busy and is asked again', { path: call.path, wait_ms: waitMs });
        await deps.timers.sleep(waitMs, call.signal).catch(() => undefined);
        if (call.signal?.aborted === true) return answer;
      }
      return connection.request(call);
    },
  };
}

function isBusy({ reason, status }: KubeFailure): boolean {
  return reason === 'too-many-requests' || status === 503;
}
