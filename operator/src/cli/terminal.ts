import type { ExitCode } from './exit.ts';

/** What a command may use of the terminal, so that tests can look at what it said. */
export interface Terminal {
  /** Data, and nothing else. */
  out(text: string): void;
  /** Talk: progress, warnings, the sentence of a failure. */
  talk(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly stop: AbortSignal;
}

/** One command's end. */
export type Run = (terminal: Terminal) => Promise<ExitCode>;
