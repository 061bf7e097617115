import { ACTION_KINDS } from '@hephaisto/core/action/catalogue';
import { type Check, clear, violated } from '../check.ts';

export const notReversible: Check = ({ request }) => {
  const { reversibility } = ACTION_KINDS[request.type];
  return reversibility.kind === 'none'
    ? violated('not_reversible', reversibility.why)
    : clear(reversibility.kind === 'inverse' ? 'what it replaces is stored and can be put back' : reversibility.why);
};
