import type { Timers } from '@hephaisto/core/ports/clock';

/** Why a try was broken off by us. */
export class StallError extends Error {
  readonly tag = 'StallError';
  readonly limit: 'stalled-first-byte' | 'stalled-idle' | 'deadline';
  constructor(limit: StallError['limit'], milliseconds: number) {
    super(`nothing came within ${milliseconds} ms`);
    this.name = 'StallError';
    this.limit = limit;
  }
}

export interface StallLimits {
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export interface StallWatch {
  readonly signal: AbortSignal;
  /** The request has left. */
  sent(): void;
  /** Something came. */
  heard(): void;
  stop(): void;
}

/** Breaks a try off when nothing comes for too long: before the first byte, between two, or at all. */
export function watchForStalls(timers: Timers, limits: StallLimits, leftMs: number): StallWatch {
  const controller = new AbortController();
  let cancel = () => {};
  const within = (limit: StallError['limit'], milliseconds: number) => {
    cancel();
    cancel = timers.after(milliseconds, () => controller.abort(new StallError(limit, milliseconds)));
  };
  const cancelDeadline = timers.after(leftMs, () => controller.abort(new StallError('deadline', leftMs)));
  return {
    signal: controller.signal,
    sent: () => within('stalled-first-byte', limits.firstByteMs),
    heard: () => within('stalled-idle', limits.idleMs),
    stop() {
      cancel();
      cancelDeadline();
    },
  };
}
