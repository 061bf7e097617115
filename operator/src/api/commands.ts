/** Through which door a command came; the audit and the timeline say it. */
export type Door = 'console' | 'api';

export interface Author {
  readonly actor: string;
  readonly origin: Door;
}

/** A command that changed nothing. The reason is the command's own closed code; the API maps it to a problem. */
export interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type Done = { readonly kind: 'done' };

/** Answer to a vote that was taken. The proposal may still be open when more votes are needed. */
export interface Voted {
  readonly kind: 'voted';
  readonly proposal: { readonly id: string; readonly state: string };
  readonly votes: number;
  readonly quorum: number;
}

export interface Revised {
  readonly kind: 'revised';
  readonly proposalId: string;
}

/**
 * What people and programs may do, one function each, the same for every surface. The API has authenticated the author and judged the
 * role before it calls one.
 */
export interface ApiCommands {
  close(command: Author & { incidentId: string; reason: string }): Promise<Done | Refusal>;
  stopInvestigation(command: Author & { investigationId: string; reason: string }): Promise<Done | Refusal>;
  reinvestigate(command: Author & { incidentId: string; reason: string; anyway?: boolean }): Promise<Done | Refusal>;
  acknowledge(command: Author & { incidentId: string }): Promise<Done | Refusal>;
  assign(
    command: Author & { incidentId: string; assignee: string | null; expectedVersion: number },
  ): Promise<Done | Refusal>;
  note(command: Author & { incidentId: string; text: string }): Promise<Done | Refusal>;
  decide(
    command: Author & { proposalId: string; decision: 'approve' | 'deny'; digest: string; reason?: string },
  ): Promise<Voted | Refusal>;
  revise(command: Author & { proposalId: string; reason: string }): Promise<Revised | Refusal>;
  /** Without an expected version whatever is set is overwritten, which is how the emergency stop is turned on. */
  setSwitch(
    command: Author & { name: string; value: string; reason: string; expectedVersion?: number },
  ): Promise<Done | Refusal>;
}
