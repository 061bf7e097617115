import type { Stamps } from '@hephaisto/core/action/stamps';
import type { ActionRow } from './action-row.ts';

/** Stamps of the dry run that is shown before anybody has decided. */
export function stampsOfProposal(action: ActionRow): Stamps {
  return stampsOf(action, []);
}

/** The instant is the action's own, so that the call shown, tried and sent is one and the same. */
export function stampsOf(action: ActionRow, approvedBy: readonly string[]): Stamps {
  return {
    actionId: action.id,
    incidentId: action.incidentId,
    approvedBy: approvedBy.length === 0 ? 'policy' : approvedBy.join(','),
    at: action.createdAt,
  };
}
