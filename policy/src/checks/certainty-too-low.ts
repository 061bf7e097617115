import { type Check, clear, violated } from '../check.ts';

export const certaintyTooLow: Check = ({ finding }) =>
  finding?.certainty === 'proven' || finding?.certainty === 'likely'
    ? clear(`the cause is ${finding.certainty}`, { certainty: finding.certainty })
    : violated('certainty_too_low', 'only a proven or likely cause may carry an action', {
        certainty: finding?.certainty ?? 'none',
      });
