import type { Proposal } from '@hephaisto/core/report/action';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CallFailed, sayError } from '../api/call.ts';
import { pressKey } from '../api/press-key.ts';
import { peopleQuery } from '../api/reads.ts';
import { decideProposal } from '../api/writes.ts';
import { refusalTitle, refusalWords } from './refusal-words.ts';

export type DecisionState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'voted'; readonly proposalState: string; readonly votes: number; readonly quorum: number }
  | { readonly kind: 'refused'; readonly code: string; readonly title: string; readonly message: string }
  /** No answer came. */
  | { readonly kind: 'unknown' };

export interface Decision {
  readonly state: DecisionState;
  readonly send: (decision: 'approve' | 'deny', reason: string) => void;
  readonly reset: () => void;
}

/** Sends the decision for exactly the proposal that is shown. A press that got no answer keeps its key, so that a second one is the same. */
export function useDecision(proposal: Pick<Proposal, 'id' | 'digest'>): Decision {
  const client = useQueryClient();
  const [state, setState] = useState<DecisionState>({ kind: 'idle' });
  const [key] = useState(pressKey);

  async function run(decision: 'approve' | 'deny', reason: string): Promise<void> {
    const press = key.of(`${proposal.id} ${decision} ${reason}`);
    setState({ kind: 'sending' });
    try {
      const answer = await decideProposal(proposal, decision, reason, press);
      key.carriedOut();
      setState({ kind: 'voted', proposalState: answer.proposal.state, votes: answer.votes, quorum: answer.quorum });
    } catch (error: unknown) {
      key.refused(error);
      setState(await stateOf(client, error));
    }
    await Promise.all(
      ['incident', 'inbox', 'proposals'].map((first) => client.invalidateQueries({ queryKey: [first] })),
    );
  }

  return {
    state,
    send: (decision, reason) => void run(decision, reason),
    reset: () => setState({ kind: 'idle' }),
  };
}

async function stateOf(client: QueryClient, error: unknown): Promise<DecisionState> {
  if (error instanceof CallFailed && error.failure.kind === 'refused') {
    const { problem } = error.failure;
    return {
      kind: 'refused',
      code: problem.code,
      title: refusalTitle(problem.code),
      message: refusalWords(problem, await namesOf(client)),
    };
  }
  if (error instanceof CallFailed) return { kind: 'unknown' };
  return { kind: 'refused', code: 'internal', title: 'Not sent.', message: sayError(error) };
}

/** People by account, to name who was faster; without them the account says it too. */
async function namesOf(client: QueryClient): Promise<ReadonlyMap<string, string>> {
  const people = await client.fetchQuery(peopleQuery).catch(() => ({ items: [] }));
  return new Map(people.items.map(({ subject, name }) => [subject, name]));
}
