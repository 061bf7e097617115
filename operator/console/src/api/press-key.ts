import { CallFailed, freshKey } from './call.ts';

/** The idempotency key of what a person is about to send. */
export interface PressKey {
  /** The key for sending `what`: the same as long as neither it nor what the server knows of it has changed. */
  of(what: string): string;
  /** Told of a failure; true when the server has refused, so that the next press is a new one. */
  refused(error: unknown): boolean;
  /** Told that it was carried out. */
  carriedOut(): void;
}

/** After a silence nobody knows whether the press was carried out: pressing again must be the same press, or it may be done twice. */
export function pressKey(): PressKey {
  let kept: { readonly of: string; readonly value: string } | undefined;
  const forget = (): void => {
    kept = undefined;
  };
  return {
    of(what) {
      if (kept?.of !== what) kept = { of: what, value: freshKey() };
      return kept.value;
    },
    refused(error) {
      if (isUndecided(error)) return false;
      forget();
      return true;
    },
    carriedOut: forget,
  };
}

/** No answer, one that something between us and the server may have given, or that the first press is still being worked on. */
function isUndecided(error: unknown): boolean {
  if (!(error instanceof CallFailed)) return false;
  const { failure } = error;
  if (failure.kind === 'unreached') return true;
  return failure.problem.status >= 500 || failure.problem.code === 'request-in-progress';
}
