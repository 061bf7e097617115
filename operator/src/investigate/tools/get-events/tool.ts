import { eventsAbout, renderEvents } from '@hephaisto/core/evidence/tables/events';
import { mapKubeRead } from '../../map-read.ts';
import { factTool } from '../../tool.ts';
import { getEventsArgs } from './schema.ts';

export const getEvents = factTool<'get_events'>({
  name: 'get_events',
  description:
    'Kubernetes events of a namespace, or about one object and what belongs to it by name: scheduling, image pulls, missing keys, probes, back-off.',
  schema: getEventsArgs,
  wouldHaveTold: 'what the scheduler, the kubelet and the controllers say of it',
  namespaceOf: (args) => args.namespace,
  read: async (reader, args) =>
    mapKubeRead(await reader.events(args.namespace), (events) => eventsAbout(events, args.name)),
  render: (events, args) =>
    renderEvents(`events of ${args.namespace}${args.name === undefined ? '' : ` about ${args.name}`}`, events),
});
