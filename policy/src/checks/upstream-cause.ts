import { type Check, clear, violated } from '../check.ts';

export const upstreamCause: Check = ({ incident }) =>
  incident.causedByOther
    ? violated('upstream_cause', 'the cause lies in another incident; acting here would treat a symptom')
    : clear('the cause lies here');
