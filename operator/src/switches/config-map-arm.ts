import type { Clock, Timers } from '@hephaisto/core/ports/clock';
import type { ConfigMapSource, ConfigMapState } from '@hephaisto/core/ports/config-map';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import { planReconnect } from '@hephaisto/core/stream/reconnect';
import type { ArmReading } from '@hephaisto/core/switches/arms';
import { AGENT_MODE } from '@hephaisto/core/switches/arms';
import type { LocalArm } from './board.ts';

export interface ConfigMapArm extends LocalArm {
  /** Resolves when the first reading is known, whatever it says. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/**
 * The longest pause, spread included, stays below a second: it is also the longest time for which a person's change of a switch goes
 * unnoticed while the server ends each watch at once. The minimum life is far below the 30 s after which the server ends each watch.
 */
const RECONNECT = { firstMs: 200, longestMs: 600, minimumLifeMs: 5_000 };

/**
 * The ConfigMap's arm, followed live. Missing and unreadable are readings of their own and count as `observe`: a switch that nobody can
 * read must not leave an agent acting. `onChange` is called after each new reading.
 */
export function followConfigMap(
  source: ConfigMapSource,
  deps: { readonly clock: Clock; readonly timers: Timers; readonly log: Logger; readonly random: () => number },
  onChange: () => void,
): ConfigMapArm {
  const stop = new AbortController();
  let reading: ArmReading = { kind: 'unreadable', why: 'the ConfigMap of switches has not been read yet' };
  // The last failure that was told: a state is told once, not with each attempt.
  let told: string | undefined;
  const first = Promise.withResolvers<void>();
  const set = (next: ArmReading): void => {
    reading = next;
    first.resolve();
    onChange();
  };
  let shortLives = 0;
  const pauseAfter = async (livedMs: number): Promise<void> => {
    const next = planReconnect({ shortLives, livedMs, random: deps.random() }, RECONNECT);
    shortLives = next.shortLives;
    await deps.timers.sleep(next.pauseMs, stop.signal).catch(() => {});
  };
  const done = loop();

  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      const read = await source.read();
      if (stop.signal.aborted) return;
      if (read.kind === 'failure') {
        if (told !== read.reason)
          deps.log.warn('the ConfigMap of switches cannot be read, so the mode is at most observe', {
            reason: read.reason,
            message: read.message,
          });
        const changed = reading.kind !== 'unreadable' || told !== read.reason;
        told = read.reason;
        if (changed) set({ kind: 'unreadable', why: `the ConfigMap of switches cannot be read: ${read.message}` });
        await pauseAfter(0);
        continue;
      }
      if (told !== undefined) deps.log.info('the ConfigMap of switches can be read again', {});
      told = undefined;
      set(readingOf(read.value));
      const openedAt = deps.clock.monotonicMs();
      await source.follow(read.value.resourceVersion, (state) => set(readingOf(state)), stop.signal);
      await pauseAfter(deps.clock.monotonicMs() - openedAt);
    }
  }

  return {
    current: () => reading,
    ready: first.promise,
    async close() {
      stop.abort();
      first.resolve();
      await done;
    },
  };
}

function readingOf(state: ConfigMapState): ArmReading {
  if (state.kind === 'missing') return { kind: 'unreadable', why: 'the ConfigMap of switches does not exist' };
  // People write `mode`; the row is called `agent_mode`. Both are understood, the stricter reading is left to the combination.
  const { mode, ...rest } = state.data;
  return {
    kind: 'read',
    values: mode === undefined || rest[AGENT_MODE] !== undefined ? rest : { ...rest, [AGENT_MODE]: mode },
  };
}
