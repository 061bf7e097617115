import type { Question } from '@hephaisto/verifier/predicate';

/** One check whose time has come. */
export interface DueCheck {
  readonly actionId: string;
  readonly subject: 'action' | 'rollback';
  readonly attempt: number;
  readonly question: Question;
  /** Milliseconds since its time came. */
  readonly lateMs: number;
}
