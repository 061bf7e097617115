import type { AgentMode } from '@hephaisto/core/switches/modes';
import { type Check, clear, violated } from '../check.ts';
import type { GateCode } from '../gate.ts';

const CODES: Readonly<Partial<Record<AgentMode, GateCode>>> = {
  off: 'agent_off',
  observe: 'observe_mode',
  dryrun: 'dryrun_mode',
};

export const modeTooLow: Check = ({ mode }) => {
  const code = CODES[mode.effective];
  return code === undefined
    ? clear(`the mode is ${mode.effective}`, { mode: mode.effective })
    : violated(code, `the mode is ${mode.effective}: ${mode.setBy.why}`, { mode: mode.effective, arm: mode.setBy.arm });
};
