/** How a command ends; the same numbers for every command. */
export const EXIT = {
  /** Done; a stop that was asked for included. */
  done: 0,
  /** Failed, refused, or a configured capability is missing. */
  failed: 1,
  /** Wrong usage or configuration. */
  usage: 2,
  /** The port cannot be had. */
  portTaken: 3,
  /** The data folder is locked, foreign, broken or newer. */
  dataFolder: 4,
  /** The surroundings: network, permissions, runtime. */
  surroundings: 5,
  /** The identity may do more than the configuration needs. */
  overPrivileged: 6,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with a code and one sentence on stderr: what was expected, what was found, what to do. */
export class CommandFailed extends Error {
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandFailed';
    this.exitCode = exitCode;
  }
}
