import { type Check, clear, violated } from '../check.ts';

export const foreignCluster: Check = ({ incident }) =>
  incident.clusterKnown
    ? clear('the incident is of this cluster')
    : violated('foreign_cluster', 'the signal names a cluster that is not this one; such an incident is only read');
