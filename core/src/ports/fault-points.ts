import type { FaultPoint } from './fault-point-names.ts';

/**
 * Named places between two commits where a test may kill or stop the process. Production wires a no-op.
 * A gate holds that every commit of the line is followed by one.
 */
export interface FaultPoints {
  hit(point: FaultPoint): Promise<void>;
}

export const NO_FAULTS: FaultPoints = { hit: () => Promise.resolve() };
