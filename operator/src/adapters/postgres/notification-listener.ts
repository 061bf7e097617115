import { planReconnect } from '@hephaisto/core/stream/reconnect';
import type pg from 'pg';
import { storeError } from './sqlstate.ts';

const RECONNECT = { firstMs: 200, longestMs: 5_000, minimumLifeMs: 5_000 };

type OnNotify = (payload: string) => void;

/** Channels are fixed names in code; anything else would have to be quoted on every path. */
export function assertChannel(channel: string): void {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(channel)) {
    throw new Error(`expected a channel name of lower-case letters, digits and underscores, found \`${channel}\``);
  }
}

/** Holds one connection that only listens, for as long as anybody does, and brings it back when it breaks. */
export class NotificationListener {
  private readonly channels = new Map<string, Set<OnNotify>>();
  private readonly connect: () => pg.Client;
  private readonly trouble: (message: string) => void;
  private client: Promise<pg.Client> | undefined;
  private retry: NodeJS.Timeout | undefined;
  private shortLives = 0;
  private openedAt: number | undefined;
  private closed = false;

  constructor(connect: () => pg.Client, trouble: (message: string) => void) {
    this.connect = connect;
    this.trouble = trouble;
  }

  async subscribe(channel: string, onNotify: OnNotify): Promise<() => Promise<void>> {
    assertChannel(channel);
    const listeners = this.channels.get(channel) ?? new Set<OnNotify>();
    const isFirst = listeners.size === 0;
    listeners.add(onNotify);
    this.channels.set(channel, listeners);
    try {
      this.client ??= this.open();
      const client = await this.client;
      if (isFirst) await client.query(`LISTEN "${channel}"`);
    } catch (error) {
      listeners.delete(onNotify);
      throw storeError(error, 'none');
    }
    return () => this.unsubscribe(channel, onNotify);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    this.channels.clear();
    const client = this.client;
    this.client = undefined;
    await client?.then((open) => open.end()).catch(() => undefined);
  }

  private async unsubscribe(channel: string, onNotify: OnNotify): Promise<void> {
    const listeners = this.channels.get(channel);
    if (listeners?.delete(onNotify) !== true || listeners.size > 0) return;
    this.channels.delete(channel);
    await this.client?.then((client) => client.query(`UNLISTEN "${channel}"`)).catch(() => undefined);
  }

  private async open(): Promise<pg.Client> {
    const client = this.connect();
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload }) => this.notify(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of this.channels.keys()) await client.query(`LISTEN "${channel}"`);
    } catch (error) {
      this.client = undefined;
      await client.end().catch(() => undefined);
      throw error;
    }
    client.on('end', () => this.lost());
    this.openedAt = performance.now();
    return client;
  }

  private lost(): void {
    this.client = undefined;
    if (this.closed || this.channels.size === 0) return;
    const livedMs = this.openedAt === undefined ? 0 : performance.now() - this.openedAt;
    this.openedAt = undefined;
    const next = planReconnect({ shortLives: this.shortLives, livedMs, random: Math.random() }, RECONNECT);
    this.shortLives = next.shortLives;
    const pauseMs = Math.round(next.pauseMs);
    this.trouble(`lost the connection that listens for notifications; connecting again in ${pauseMs} ms`);
    this.retry = setTimeout(() => void this.reopen(), pauseMs);
    this.retry.unref();
  }

  private async reopen(): Promise<void> {
    if (this.closed || this.client !== undefined) return;
    try {
      this.client = this.open();
      await this.client;
      for (const channel of this.channels.keys()) this.notify(channel, '');
    } catch {
      this.lost();
    }
  }

  private notify(channel: string, payload: string): void {
    for (const onNotify of this.channels.get(channel) ?? []) onNotify(payload);
  }
}
