import type { EventOrigin } from '@hephaisto/core/ports/incident-log';
import type { StageDeps } from '../flow/stage.ts';

/** What a command of a person or program may use; every surface calls the same commands with the same ports. */
export type CommandDeps = Pick<StageDeps, 'db' | 'ids' | 'log' | 'metrics' | 'incidents' | 'faults'>;

/** Who commands, through which door. The caller has authenticated the actor and checked its role. */
export interface CommandAuthor {
  readonly actor: string;
  readonly origin: EventOrigin;
}

/** A command that changed nothing, with why. `details` are facts a caller may show, such as who was first and when. */
export interface CommandRefused<Reason extends string> {
  readonly kind: 'refused';
  readonly reason: Reason;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
