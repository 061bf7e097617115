import { estimateTokens } from '@hephaisto/core/model/tokens';

/** What a scripted model says. `raw` arguments are sent as they are, be they JSON or not. */
export type ScriptPart =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature?: string }
  | {
      readonly call: string;
      readonly args?: Readonly<Record<string, unknown>>;
      readonly raw?: string;
      readonly id?: string;
      readonly signature?: string;
    };

/** Why it stopped, by what a script means; each wire has its own word. */
export type ScriptStop = 'end' | 'calls' | 'length' | 'safety' | 'malformed' | 'none';

/** One answer of a stand-in, or one way of failing. Times are real milliseconds. */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly parts: readonly ScriptPart[];
      readonly stop?: ScriptStop;
      /** Sent as so many pieces, so long apart. */
      readonly pieces?: number;
      readonly everyMs?: number;
      readonly outputTokens?: number;
      readonly withoutUsage?: boolean;
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Nothing more comes, and the connection stays open. */
  | { readonly kind: 'stall'; readonly after: 'nothing' | 'headers' | 'a-piece' }
  | { readonly kind: 'cut'; readonly after: 'nothing' | 'headers' | 'a-piece' }
  | { readonly kind: 'block-prompt' }
  /** Bytes of the stream as they are. */
  | { readonly kind: 'raw'; readonly text: string }
  /** Text of so many bytes, as fast as it goes. */
  | { readonly kind: 'flood'; readonly bytes: number };

/** A request as a stand-in read it, in the words of no wire. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
  readonly model: string;
  readonly system: string;
  /** Texts, calls and results in their order. */
  readonly turns: readonly SeenTurn[];
  readonly tools: readonly string[];
  /** The one tool that is served, where it says so. */
  readonly only?: string;
  readonly hasSchema: boolean;
  readonly maxOutputTokens: number;
  /** The prompt in the order in which a provider reads it: what its cache compares. */
  readonly prompt: string;
}

export interface SeenTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown; readonly signature?: string }[];
  readonly results: readonly { readonly name: string; readonly text: string }[];
}

/** Decides what is answered to the n-th request (from 0). */
export type Script = (request: SeenRequest, n: number) => Reply | Promise<Reply>;

/** Plays replies one after the other; the last again and again. */
export function inOrder(...replies: readonly Reply[]): Script {
  return (_request, n) => {
    const reply = replies[Math.min(n, replies.length - 1)];
    if (reply === undefined) throw new Error('expected a script with a reply, found none');
    return reply;
  };
}

export function says(...parts: readonly ScriptPart[]): Reply {
  return { kind: 'answer', parts };
}

export interface Counted {
  readonly input: number;
  readonly cached: number;
}

/** Counts a prompt, and how much of it stood at the head of the one before, as a provider's cache would. */
export function createPromptCounter(): (prompt: string) => Counted {
  let before = '';
  return (prompt) => {
    let shared = 0;
    const most = Math.min(prompt.length, before.length);
    while (shared < most && prompt.charCodeAt(shared) === before.charCodeAt(shared)) shared += 1;
    before = prompt;
    return { input: estimateTokens(prompt), cached: shared === 0 ? 0 : estimateTokens(prompt.slice(0, shared)) };
  };
}

/** A stand-in that is running. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Requests whose connection the client closed before we had answered. */
  readonly hungUp: readonly number[];
  /** Connections open now. */
  openConnections(): Promise<number>;
  close(): Promise<void>;
}
