import { type Check, clear, violated } from '../check.ts';

export const ungrounded: Check = ({ finding }) =>
  finding?.grounded === true
    ? clear('the cited finding quotes evidence that exists')
    : violated('ungrounded', 'no finding with evidence that exists stands behind the action');
