import type { Edge } from '../incident/machine.ts';

/** A proposal is what a person sees and decides: frozen bytes with a digest. A moved world makes a new revision, never an edit. */
export const PROPOSAL_STATES = ['Open', 'Approved', 'Denied', 'Expired', 'Superseded', 'Void'] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

/** Every legal transition of a proposal; each open proposal is settled exactly once. */
export const PROPOSAL_EDGES: readonly Edge<ProposalState>[] = [
  { edge: 'P1', from: '', to: 'Open' },
  { edge: 'P2', from: 'Open', to: 'Approved' },
  { edge: 'P3', from: 'Open', to: 'Denied' },
  { edge: 'P4', from: 'Open', to: 'Expired' },
  { edge: 'P5', from: 'Open', to: 'Superseded' },
  { edge: 'P6', from: 'Open', to: 'Void' },
];
