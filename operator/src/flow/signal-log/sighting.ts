import type { Disposition, Observation } from '@hephaisto/core/signal/observation';

/** An observation on its way into the table. Without `settled` it waits for the dedupe stage. */
export interface Sighting {
  readonly observation: Observation;
  /** The intake row of the delivery it came in. */
  readonly intake?: number;
  readonly settled?: { readonly disposition: Extract<Disposition, 'benign' | 'self'>; readonly reason: string };
}
