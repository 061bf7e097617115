/** What the caller must put right: told as one sentence, without a stack. */
export class WrongCall extends Error {
  /** 2 for a wrong option, 5 for surroundings that lack something. */
  readonly exitCode: 2 | 5;

  constructor(message: string, exitCode: 2 | 5 = 2) {
    super(message);
    this.name = 'WrongCall';
    this.exitCode = exitCode;
  }
}
