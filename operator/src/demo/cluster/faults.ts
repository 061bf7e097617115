import type { RequestInfo } from './api/request-info.ts';

/** What an unwell API server does to a request, after it knows who asks. */
export type Fault =
  /** Answers in place of the handler. Without a body, a Status with the reason and message. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly reason?: string;
      readonly message?: string;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Takes the request and never answers. */
  | { readonly kind: 'hang' }
  /** Waits, then goes on as usual. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** Breaks the connection; nothing has happened. */
  | { readonly kind: 'drop' }
  /** Does what was asked and breaks the connection instead of saying so. */
  | { readonly kind: 'lost-answer' }
  /** Sends that many events of the watch, then half of the next one, and breaks the connection. */
  | { readonly kind: 'cut-watch'; readonly afterEvents: number };

export interface FaultyRequest extends RequestInfo {
  readonly method: string;
  readonly user: string;
  /** As the query says it; a body that is not read yet may say it too. */
  readonly dryRun: boolean;
}

export interface FaultRule {
  readonly when: (request: FaultyRequest) => boolean;
  readonly fault: Fault;
  /** How many requests it befalls; all of them when absent. */
  readonly times?: number;
}

export interface Faults {
  /** Rules are tried in the order they were added; the first that matches is used. Returns the function that takes it back. */
  add(rule: FaultRule): () => void;
  clear(): void;
}

export function createFaults() {
  const rules = new Map<FaultRule, number>();

  const faults: Faults = {
    add(rule) {
      const own = { ...rule };
      rules.set(own, rule.times ?? Number.POSITIVE_INFINITY);
      return () => rules.delete(own);
    },
    clear: () => rules.clear(),
  };

  /** The fault that befalls the request, used up by one. */
  function take(request: FaultyRequest): Fault | undefined {
    for (const [rule, left] of rules) {
      if (!rule.when(request)) continue;
      if (left <= 1) rules.delete(rule);
      else rules.set(rule, left - 1);
      return rule.fault;
    }
    return undefined;
  }

  return { faults, take };
}
