import { readAction } from '../../act/action-row.ts';
import { openAttempt } from '../../act/attempts.ts';
import type { ActingDeps } from '../../act/deps.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import type { TypedAction } from './endings.ts';
import { settleLostRemoval } from './remove-stuck-pods.ts';

/** Starts from the epoch check when the object moved under a call; more often is a fight with whoever moves it. */
export const MOST_ROUNDS = 3;

/** `again`: the object moved and nothing was applied. `later`: what is needed cannot be read now. */
export type Step = 'done' | 'again' | 'later';

interface Call {
  readonly phase: 'execute' | 'rollback';
  /** One round on the action as it stands now. */
  readonly round: (action: TypedAction) => Promise<Step>;
  /** Rounds that count as used up before this pass. */
  readonly roundsBefore: number;
  /** Reads from the object what became of a call without an outcome. */
  readonly lostAnswer: (attemptId: string, message: string) => Promise<boolean>;
}

/** Carries one call to its outcome. True when it got anywhere; `moved` when the object moved under every round. */
export async function inRounds(
  deps: ActingDeps,
  held: HeldLease,
  actionId: string,
  call: Call,
): Promise<boolean | 'moved'> {
  const before = await readAction(deps.db, actionId);
  if (before !== undefined) await settleLostRemoval(deps, held, before);
  const open = await openAttempt(deps.db, actionId);
  // The process that wrote this down is gone, or no longer sure of itself: whether it sent anything, only the object can tell.
  if (open?.phase === call.phase) return await call.lostAnswer(open.id, 'the process that made the call is gone');
  for (let busy = call.roundsBefore; busy < MOST_ROUNDS; busy += 1) {
    await held.renew();
    const now = await readAction(deps.db, actionId);
    if (now?.request === undefined) return false;
    const step = await call.round({ ...now, request: now.request });
    if (step !== 'again') return step === 'done';
  }
  return 'moved';
}
