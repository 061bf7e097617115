import { StoreUnavailable } from '@hephaisto/core/ports/database';
import { inTrace } from '../flow/trace-log/in-trace.ts';
import { countFailure } from './dead-letter.ts';
import type { ActingDeps } from './deps.ts';

/**
 * Works on one action in a span of its own. An error that is about this action alone is logged and counted, and the other actions get their turn;
 * without the database none does, so that error is rethrown.
 */
export async function isolated(
  deps: Pick<ActingDeps, 'db' | 'log' | 'metrics' | 'tracer' | 'incidents' | 'ids' | 'faults' | 'settings'>,
  stage: 'admit' | 'act' | 'verify',
  actionId: string,
  work: () => Promise<boolean | undefined>,
): Promise<boolean> {
  try {
    return (await inTrace(deps, `hephaisto.${stage}`, { action: actionId }, work)) === true;
  } catch (error: unknown) {
    if (error instanceof StoreUnavailable) throw error;
    deps.metrics.count('stage_errors_total', { stage });
    deps.log.error('an action could not be worked on', { stage, action_id: actionId, error });
    await countFailure(deps, actionId, error);
    return false;
  }
}
