import { ACTION_TYPES, type ActionType } from '../action/types.ts';
import { type AgentMode, isAgentMode, type ModeLimit, type SwitchArm } from './modes.ts';

/** Names of the rows in `switches`, and of the keys of the ConfigMap. `action_mode:<ActionType>` is a ceiling for one kind of action. */
export const AGENT_MODE = 'agent_mode';
export const EMERGENCY_STOP = 'emergency_stop';
export const RUNAWAY_LATCH = 'runaway_latch';
export const ACTION_MODE_PREFIX = 'action_mode:';

export function actionModeName(type: ActionType): string {
  return `${ACTION_MODE_PREFIX}${type}`;
}

/** Every switch there is. A kind's own mode can only be set for that kind: nothing raises all of them at once. */
export const SWITCH_NAMES: readonly string[] = [
  AGENT_MODE,
  EMERGENCY_STOP,
  RUNAWAY_LATCH,
  ...ACTION_TYPES.map(actionModeName),
];

/** What one arm says, read whole. `unreadable` says why; it counts as `observe`, and never as a stop lifted. */
export type ArmReading =
  | { readonly kind: 'read'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Everything the switches allow for one kind of action, in words that can be shown. */
export interface SwitchVerdict {
  readonly limits: readonly ModeLimit[];
  readonly emergencyStop: { readonly on: boolean; readonly why: string };
  readonly runawayLatch: { readonly on: boolean; readonly why: string };
}

/**
 * Combines the arms for one kind of action, or for the installation as a whole. An arm that says nothing about a mode sets no limit, except the two that always must say one: a
 * missing or unreadable ConfigMap, and a missing `agent_mode` row, count as `observe`. Words that are no mode count as `observe` too.
 */
export function combineArms(
  readings: Readonly<Partial<Record<SwitchArm, ArmReading>>>,
  type?: ActionType,
): SwitchVerdict {
  const limits: ModeLimit[] = [];
  let stop = { on: false, why: 'no arm stops' };
  let latch = { on: false, why: 'no arm latches' };
  for (const arm of ['environment', 'configmap', 'database'] as const) {
    const reading = readings[arm];
    if (reading === undefined) continue;
    if (reading.kind === 'unreadable') {
      limits.push({ arm, mode: 'observe', why: reading.why });
      continue;
    }
    limits.push(...modesOf(arm, reading.values, type));
    if (isOn(reading.values[EMERGENCY_STOP])) stop = { on: true, why: `${EMERGENCY_STOP} is on in ${arm}` };
    if (isOn(reading.values[RUNAWAY_LATCH])) latch = { on: true, why: `${RUNAWAY_LATCH} is on in ${arm}` };
  }
  return { limits, emergencyStop: stop, runawayLatch: latch };
}

function modesOf(arm: SwitchArm, values: Readonly<Record<string, string>>, type?: ActionType): readonly ModeLimit[] {
  const limits: ModeLimit[] = [];
  const general = values[AGENT_MODE];
  if (general !== undefined) limits.push(limitOf(arm, AGENT_MODE, general));
  else if (arm !== 'environment') limits.push({ arm, mode: 'observe', why: `${AGENT_MODE} is not set in ${arm}` });
  if (type === undefined) return limits;
  const name = actionModeName(type);
  // Colons are not allowed in ConfigMap keys; a dot is.
  const own = values[name] ?? values[name.replace(':', '.')];
  if (own !== undefined) limits.push(limitOf(arm, name, own));
  return limits;
}

function limitOf(arm: SwitchArm, name: string, value: string): ModeLimit {
  const mode: AgentMode = isAgentMode(value) ? value : 'observe';
  return {
    arm,
    mode,
    why: isAgentMode(value) ? `${name} is ${mode} in ${arm}` : `${name} in ${arm} is no mode: \`${value}\``,
  };
}

/** Anything but a plain `off` counts as on: a typo in a stop must not lift it. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== 'off' && value !== 'false' && value !== '';
}
