import { type Check, clear, violated } from '../check.ts';

export const modeAsks: Check = ({ mode }) =>
  mode.effective === 'auto'
    ? clear('the mode lets policy decide alone')
    : violated('approve_mode', `the mode is ${mode.effective}, so a person decides: ${mode.setBy.why}`, {
        mode: mode.effective,
      });
