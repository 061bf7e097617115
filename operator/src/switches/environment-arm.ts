import { AGENT_MODE, EMERGENCY_STOP } from '@hephaisto/core/switches/arms';
import type { LocalArm } from './board.ts';

/** What the process was started with. It cannot change while it runs, which is why the two other arms exist. */
export function environmentArm(configured: {
  readonly modeCeiling?: string;
  readonly emergencyStop?: boolean;
}): LocalArm {
  const values = {
    ...(configured.modeCeiling === undefined ? {} : { [AGENT_MODE]: configured.modeCeiling }),
    ...(configured.emergencyStop === true ? { [EMERGENCY_STOP]: 'on' } : {}),
  };
  return { current: () => ({ kind: 'read', values }) };
}
