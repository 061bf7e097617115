import { ACTION_TYPES } from '@hephaisto/core/action/types';
import type { PolicyFileInput } from './policy-file.ts';

export interface DemoPolicyOptions {
  /** Namespaces in which stories play, as a name or a prefix with `*`. */
  readonly namespaces: readonly string[];
  /** Those of them in which two people must agree. */
  readonly twoApprovers: readonly string[];
  readonly podAge: string;
  readonly verification: readonly [string, string, string];
}

const RULE = {
  mode: 'approve' as const,
  bounds: {
    memory: { max: '2Gi', maxFactor: 8 },
    cpu: { max: '4', maxFactor: 4 },
    replicas: { min: 1, max: 20 },
  },
};

/**
 * The policy of the demo, as data: a person approves everything, no gate is off, and only waits are shorter than they would be elsewhere,
 * which its note says to whoever reads it.
 */
export function demoPolicy(options: DemoPolicyOptions): PolicyFileInput {
  const rule = (match: string, quorum: 1 | 2) => ({
    ...RULE,
    kinds: [...ACTION_TYPES],
    match,
    quorum,
    podAge: options.podAge,
  });
  const [first, second, third] = options.verification;
  return {
    version: 1,
    note: [
      'Policy of the demo. Every action needs a person, and no gate is switched off.',
      `Shortened so that a story takes minutes: pods count as settled after ${options.podAge} (elsewhere 120s),`,
      `and repairs are checked after ${first}, ${second} and ${third} (elsewhere 60s, 5m and 15m).`,
    ].join(' '),
    namespaces: [
      ...options.twoApprovers.map((match) => rule(match, 2)),
      ...options.namespaces.map((match) => rule(match, 1)),
    ],
    verification: { times: [first, second, third] },
  };
}
