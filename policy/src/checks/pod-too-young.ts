import { type Check, clear, unreadable, violated } from '../check.ts';

export const podTooYoung: Check = ({ youngestPodSeconds, rule }) => {
  if (!youngestPodSeconds.known) return unreadable('the age of the pods', youngestPodSeconds.why);
  if (rule === undefined) return { kind: 'unknown', message: 'no rule says how old a pod must be' };
  const age = youngestPodSeconds.value;
  const least = rule.podAge / 1000;
  if (age === undefined) return clear('no pod would be disturbed');
  const measured = { ageSeconds: Math.floor(age), leastSeconds: least };
  return age < least
    ? violated('pod_too_young', `the youngest pod is ${Math.floor(age)} s old, younger than ${least} s`, measured)
    : clear(`the youngest pod is ${Math.floor(age)} s old`, measured);
};
