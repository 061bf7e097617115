import { type Check, clear, unreadable, violated } from '../check.ts';

export const cooldown: Check = ({ cooldownUntil, now }) => {
  if (!cooldownUntil.known) return unreadable('the cooldown of the workload', cooldownUntil.why);
  const until = cooldownUntil.value;
  if (until === undefined || until.getTime() <= now.getTime()) return clear('the workload is not cooling down');
  return violated('cooldown', `the workload was acted on and is left alone until ${until.toISOString()}`, {
    until: until.toISOString(),
  });
};
