import type { Sql } from '@hephaisto/core/ports/database';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { type RetryPauses, retryPauseMs } from './refused-call.ts';

/** Stored in `actions.post_state` under `undoRetry` while an undo waits for its next try. */
export interface UndoRetry {
  readonly retries: number;
  /** Time since the first refusal. */
  readonly waitedMs: number;
}

/** Of `actions a`: true unless the action waits for a retry that is not due yet. */
export const UNDO_IS_DUE = `coalesce((a.post_state #>> '{undoRetry,at}')::timestamptz <= app_now(), true)`;

export async function scheduleUndoRetry(
  tx: Sql,
  actionId: string,
  why: { readonly reason: string; readonly message: string },
  pauses: RetryPauses,
  before: UndoRetry | undefined,
): Promise<void> {
  await tx.execute(
    `UPDATE actions SET post_state = coalesce(post_state, '{}'::jsonb) || jsonb_build_object('undoRetry', $2::jsonb || jsonb_build_object(
       'at', app_now() + $3 * interval '1 millisecond', 'since', coalesce(post_state #> '{undoRetry,since}', to_jsonb(app_now()))))
     WHERE id = $1`,
    [
      actionId,
      cleanJsonText({ retries: (before?.retries ?? 0) + 1, reason: why.reason, message: why.message.slice(0, 500) }),
      retryPauseMs(before?.retries ?? 0, pauses),
    ],
  );
}

export async function clearUndoRetry(tx: Sql, actionId: string): Promise<void> {
  await tx.execute(
    `UPDATE actions SET post_state = post_state - 'undoRetry' WHERE id = $1 AND post_state ? 'undoRetry'`,
    [actionId],
  );
}
