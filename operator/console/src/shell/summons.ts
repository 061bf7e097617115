import type { IncidentSummary } from '@hephaisto/core/report/incident';
import type { Session } from '@hephaisto/core/report/installation';
import { rightTo } from '../api/rights.ts';

/** As much of a row as is needed to know whether it calls somebody. */
export type CallingRow = Pick<IncidentSummary, 'state' | 'namespace'> & {
  readonly proposal: { readonly id: string } | null;
};

export interface Summons {
  /** Every proposal that has ever called; one that goes and returns does not call twice, and a new one for the same incident does. */
  readonly known: ReadonlySet<string>;
  /** What to say now; undefined when there is nothing new. */
  readonly word: string | undefined;
}

/**
 * Whether the rows call for this very person, who may decide what waits. `known` undefined stands for a page that was just opened: what
 * already waited then is no news.
 */
export function summon(known: ReadonlySet<string> | undefined, rows: readonly CallingRow[], session: Session): Summons {
  const mine = rows.flatMap((row) =>
    row.state === 'AwaitingApproval' &&
    row.proposal !== null &&
    rightTo(session, 'approver', row.namespace).kind === 'may'
      ? [row.proposal.id]
      : [],
  );
  if (known === undefined) return { known: new Set(mine), word: undefined };
  const news = mine.filter((id) => !known.has(id)).length;
  if (news === 0) return { known, word: undefined };
  return {
    known: new Set([...known, ...mine]),
    word: news === 1 ? 'A new proposal needs you' : `${news} new proposals need you`,
  };
}
