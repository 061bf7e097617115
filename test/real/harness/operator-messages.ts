import type { ConfigInput } from '@hephaisto/core/config/schema';
import type { ActingSettings } from '@hephaisto/operator/act/deps';
import type { LeaseTimes } from '@hephaisto/operator/wiring/held-lease';

/**
 * What an operator's process does at a fault point, once: kill or stop itself, wait until it is released, or break off with an error.
 * `skip` lets the first so many hits pass.
 */
export interface FaultRule {
  readonly point: string;
  readonly does: 'kill' | 'stop' | 'hold' | 'throw';
  readonly skip?: number;
}

export type ToOperator =
  | {
      readonly type: 'start';
      readonly config: ConfigInput;
      readonly kubeconfigYaml?: string;
      readonly policyText?: string;
      readonly actingSettings: Partial<ActingSettings>;
      readonly leaseTimes?: LeaseTimes;
      readonly faults: readonly FaultRule[];
    }
  | { readonly type: 'faults'; readonly faults: readonly FaultRule[] }
  | { readonly type: 'release'; readonly point: string }
  | { readonly type: 'sign-in'; readonly subject: string }
  /** Asks the operator's own database; the only way to an embedded one that is open. */
  | { readonly type: 'query'; readonly id: number; readonly text: string; readonly values: readonly unknown[] };

export type FromOperator =
  | { readonly type: 'ready'; readonly url: string; readonly cluster: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'signed-in'; readonly subject: string; readonly url: string }
  | {
      readonly type: 'rows';
      readonly id: number;
      readonly rows: readonly Readonly<Record<string, unknown>>[];
      readonly error?: string;
    }
  | { readonly type: 'fault'; readonly point: string; readonly did: FaultRule['does'] };
