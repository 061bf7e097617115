import { type Check, clear, violated } from '../check.ts';

export const certaintyNotProven: Check = ({ finding }) =>
  finding?.certainty === 'proven'
    ? clear('the cause is proven')
    : violated('certainty_not_proven', 'only a proven cause may carry an action without a person', {
        certainty: finding?.certainty ?? 'none',
      });
