import type { EngineSession } from './engine-session.ts';

type OnNotify = (payload: string) => void;

/** Who listens to which channel of the embedded database. Outlives the engine. */
export class EngineChannels {
  private readonly listeners = new Map<string, Set<OnNotify>>();

  async subscribe(session: EngineSession, channel: string, onNotify: OnNotify): Promise<void> {
    const known = this.listeners.get(channel);
    if (known !== undefined) {
      known.add(onNotify);
      return;
    }
    await session.run(`LISTEN "${channel}"`, undefined, 'none');
    this.listeners.set(channel, new Set([onNotify]));
  }

  async unsubscribe(session: () => EngineSession, channel: string, onNotify: OnNotify): Promise<void> {
    const known = this.listeners.get(channel);
    if (known?.delete(onNotify) !== true || known.size > 0) return;
    this.listeners.delete(channel);
    await session().run(`UNLISTEN "${channel}"`, undefined, 'none');
  }

  /** A new engine knows no listener, and what was sent meanwhile is gone: each is called once with an empty payload. */
  async resume(session: EngineSession): Promise<void> {
    for (const channel of this.listeners.keys()) await session.run(`LISTEN "${channel}"`, undefined, 'none');
    for (const channel of this.listeners.keys()) this.deliver(channel, '');
  }

  /** Called while an answer is read; listeners run after it, so that none of them can disturb its reading. */
  deliver(channel: string, payload: string): void {
    for (const onNotify of this.listeners.get(channel) ?? []) queueMicrotask(() => onNotify(payload));
  }
}
