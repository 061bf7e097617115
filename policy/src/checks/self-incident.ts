import { type Check, clear, violated } from '../check.ts';

export const selfIncident: Check = ({ incident }) =>
  incident.isSelf
    ? violated('self_incident', 'the incident is about the product itself, which never repairs itself')
    : clear('the incident is not about the product');
