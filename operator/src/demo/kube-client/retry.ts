import type { Pace } from '../pace.ts';
import { KubeApiError } from './kube-error.ts';

const TRIES = 5;
const WAIT_MS = 200;

/**
 * Tries again while the API server is unreachable or overloaded, or the object moved under us (409 from a resourceVersion),
 * five times in all. `attempt` must read afresh what it builds on. Waits are the machine's and not compressed.
 */
export async function retrying<T>(pace: Pace, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const again = error instanceof KubeApiError && (error.retryable || error.reason === 'Conflict');
      if (!again || tries === TRIES || signal?.aborted === true) throw error;
      await pace.sleep(WAIT_MS * tries * pace.speed, signal);
    }
  }
}
