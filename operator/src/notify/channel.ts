import type { ChannelResult, RenderedMessage } from '@hephaisto/core/delivery/webhook';

/** One way to reach people or programs. One call is one request: whoever calls decides about another. Never throws. */
export interface NotificationChannel {
  send(recipient: string, message: RenderedMessage): Promise<ChannelResult>;
}
