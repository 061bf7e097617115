import { type Check, clear, unreadable, violated } from '../check.ts';

export const quarantine: Check = ({ quarantine: fact, now }) => {
  if (!fact.known) return unreadable('the quarantine of the workload', fact.why);
  if (fact.value === undefined || fact.value.until.getTime() <= now.getTime())
    return clear('the workload is in no quarantine');
  const until = fact.value.until.toISOString();
  return violated('quarantined', `the workload is in quarantine until ${until}: ${fact.value.reason}`, { until });
};
