import type { Action } from '@hephaisto/core/report/action';

type Votes = Action['proposals'][number]['votes'];

/** As much of an action as says who decided it. */
export interface Decidable extends Pick<Action, 'state' | 'admittedAt'> {
  readonly proposals: readonly { readonly revision: number; readonly votes: Votes }[];
}

/**
 * Who decided, each side by name: an approval beside a denial must not read as the last word. Only votes for the newest revision count;
 * those for an earlier one were for something else.
 */
export function decidedText({ proposals, state, admittedAt }: Decidable): string {
  const votes = newestOf(proposals)?.votes ?? [];
  const by = (decision: string): string =>
    votes
      .filter((vote) => vote.decision === decision)
      .map((vote) => vote.by.name)
      .join(' and ');
  const [approved, denied] = [by('approve'), by('deny')];
  const parts = [approved === '' ? '' : `approved by ${approved}`, denied === '' ? '' : `denied by ${denied}`];
  const said = parts.filter((part) => part !== '').join(', ');
  if (said !== '') return said;
  if (admittedAt !== null) return 'by policy alone';
  return state === 'AwaitingApproval' ? 'nobody has decided yet' : 'not carried out';
}

/** The revision that is, or was last, up for decision. */
export function newestOf<Revision extends { readonly revision: number }>(
  proposals: readonly Revision[],
): Revision | undefined {
  return [...proposals].sort((a, b) => b.revision - a.revision)[0];
}

/** The action that the newest plan led to, of `actions` with the newest first; an earlier plan's says nothing of why there is none now. */
export function actionOfPlan<Made extends { readonly createdAt: string }>(
  [newest]: readonly Made[],
  plan: { readonly createdAt: string } | null,
): Made | undefined {
  return newest !== undefined && plan !== null && newest.createdAt >= plan.createdAt ? newest : undefined;
}
