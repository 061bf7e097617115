import type { Freshness } from '../live/freshness.ts';

/** What the page has read of the switches. `undefined` means not read. */
export interface ActingFacts {
  readonly stop: boolean | undefined;
  /** The mode in force, as the server states it. */
  readonly mode: string | undefined;
  readonly freshness: Freshness['state'];
}

/** Whether anything may be sent to the cluster, as far as this page knows it. */
export type ActingState =
  /** `last` is the state of the last reading, where there was one. */
  | { readonly kind: 'unknown'; readonly reason: 'not-read' | 'old'; readonly last: 'stopped' | string | undefined }
  | { readonly kind: 'stopped' }
  /** A mode that sends nothing: off, observe, dryrun, or a mode that this page does not know. */
  | { readonly kind: 'held'; readonly mode: string }
  | { readonly kind: 'acting'; readonly mode: 'approve' | 'auto' };

/**
 * A stop is shown even on an old screen: "stopped" that was lifted meanwhile costs a minute, "on" that was stopped meanwhile costs trust.
 * Every other state is shown only while the screen is live.
 */
export function actingState({ stop, mode, freshness }: ActingFacts): ActingState {
  if (stop === true) return { kind: 'stopped' };
  if (stop === undefined || mode === undefined) return { kind: 'unknown', reason: 'not-read', last: mode };
  if (freshness !== 'live') return { kind: 'unknown', reason: 'old', last: mode };
  return mode === 'approve' || mode === 'auto' ? { kind: 'acting', mode } : { kind: 'held', mode };
}

/** The bar's word, and the sentence behind it. */
export function actingWords(state: ActingState): { readonly word: string; readonly sentence: string } {
  switch (state.kind) {
    case 'stopped':
      return { word: 'STOPPED', sentence: 'All actions are stopped.' };
    case 'unknown':
      return state.reason === 'not-read'
        ? { word: 'unknown', sentence: 'The switches have not been read yet.' }
        : { word: 'unknown', sentence: `This page may be out of date. The last known mode is ${state.last}.` };
    case 'held':
      return { word: state.mode, sentence: `Mode ${state.mode}: nothing is sent to the cluster.` };
    case 'acting':
      return state.mode === 'approve'
        ? { word: 'on approval', sentence: 'Mode approve: an action runs after a person approves it.' }
        : { word: 'auto', sentence: 'Mode auto: actions that the policy allows run without a person.' };
  }
}
