/** Something the world needs is not to be had here. The message is one sentence: what was expected, what was found, what to do. */
export class WorldError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorldError';
  }
}
