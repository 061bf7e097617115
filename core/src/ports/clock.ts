/** The process's wall clock. Compared only with process times, never with a time the database gave. Does not throw. */
export interface Clock {
  now(): Date;
}

/** Delays of the process. `sleep` rejects with the signal's reason when aborted; both never fire early. */
export interface Timers {
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  after(milliseconds: number, callback: () => void): () => void;
}

/** Identifiers and randomness. `uuid` is version 7, so that ids sort by creation; `token` is 32 random bytes, base64url. */
export interface Ids {
  uuid(): string;
  token(): string;
}
