import type { Database } from '@hephaisto/core/ports/database';

/** Channels whose notifications wake the streams: the incident log's, and the switches'. */
const EVENT_CHANNEL = 'hephaisto_event';
export const SWITCH_CHANNEL = 'hephaisto_switch';

export type Wake = 'event' | 'switch';

/** One subscription of the process to the database's notifications, shared by all streams; they are hints to look, never news. */
export interface StreamHub {
  /** Calls back on each wake until the returned function is called. */
  subscribe(onWake: (wake: Wake) => void): () => void;
  /** How many streams the account holds open here; the returned function gives the place back. Undefined when there is none left. */
  takePlace(subject: string, most: number): (() => void) | undefined;
  readonly open: number;
  close(): Promise<void>;
}

export async function createStreamHub(db: Database): Promise<StreamHub> {
  const listeners = new Set<(wake: Wake) => void>();
  const places = new Map<string, number>();
  const wakeAll = (wake: Wake): void => {
    for (const listener of listeners) listener(wake);
  };
  const unlisten = [
    await db.listen(EVENT_CHANNEL, () => wakeAll('event')),
    await db.listen(SWITCH_CHANNEL, () => wakeAll('switch')),
  ];
  return {
    get open() {
      return [...places.values()].reduce((sum, count) => sum + count, 0);
    },
    subscribe(onWake) {
      listeners.add(onWake);
      return () => listeners.delete(onWake);
    },
    takePlace(subject, most) {
      const taken = places.get(subject) ?? 0;
      if (taken >= most) return undefined;
      places.set(subject, taken + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const left = (places.get(subject) ?? 1) - 1;
        if (left <= 0) places.delete(subject);
        else places.set(subject, left);
      };
    },
    async close() {
      listeners.clear();
      for (const end of unlisten) await end();
    },
  };
}
