/**
 * How far the product may go by itself, from nothing to all. `off` only keeps incidents and tells people; `observe` investigates and says
 * what it would do; `dryrun` also asks the API server whether it would accept; `approve` acts after a person; `auto` may act alone where
 * policy allows.
 */
export const AGENT_MODES = ['off', 'observe', 'dryrun', 'approve', 'auto'] as const;
export type AgentMode = (typeof AGENT_MODES)[number];

export function isAgentMode(text: unknown): text is AgentMode {
  return typeof text === 'string' && (AGENT_MODES as readonly string[]).includes(text);
}

/** Whoever may say how far: each can only lower what the others allow. */
export const SWITCH_ARMS = ['environment', 'configmap', 'database', 'policy'] as const;
export type SwitchArm = (typeof SWITCH_ARMS)[number];

/** One arm's word about one limit. `why` says where the word comes from, or why the arm could not be read. */
export interface ModeLimit {
  readonly arm: SwitchArm;
  readonly mode: AgentMode;
  readonly why: string;
}

/** The most restrictive of all limits, and who set it; without any limit nothing is known, which counts as `observe`. */
export function safestMode(limits: readonly ModeLimit[]): ModeLimit {
  let safest: ModeLimit | undefined;
  for (const limit of limits)
    if (safest === undefined || AGENT_MODES.indexOf(limit.mode) < AGENT_MODES.indexOf(safest.mode)) safest = limit;
  return safest ?? { arm: 'database', mode: 'observe', why: 'no arm said anything' };
}

export function modeAtLeast(mode: AgentMode, least: AgentMode): boolean {
  return AGENT_MODES.indexOf(mode) >= AGENT_MODES.indexOf(least);
}
