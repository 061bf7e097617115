import { withTopology } from '../admission/topology.ts';
import { listAt, recordAt, textAt } from '../json-at.ts';
import { kubeTime } from '../object-meta.ts';
import { PODS } from '../type-key.ts';
import { storing } from './checked.ts';
import { type Answer, type Exchange, succeeded } from './exchange.ts';
import { storedObject } from './modify.ts';
import { badRequest, conflict } from './status.ts';

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const BINDING = { group: '', resource: 'pods/binding' };

/** `pods/binding`: what a scheduler writes to put a pod on a node; once only. */
export function bind(exchange: Exchange): Answer {
  const { context, body, dryRun } = exchange;
  const pod = storedObject(exchange);
  const { name } = pod.metadata;
  const node = textAt(body, 'target', 'name') ?? '';
  if (node === '' || (textAt(body, 'target', 'kind') ?? 'Node') !== 'Node')
    throw badRequest('target: expected a node, found none');
  const uid = textAt(body, 'metadata', 'uid');
  if (uid && uid !== pod.metadata.uid) throw conflict(BINDING, name, "the UID of the binding is not the pod's");
  const taken = textAt(pod, 'spec', 'nodeName');
  if (taken) throw conflict(BINDING, name, `pod ${name} is already assigned to node "${taken}"`);
  if (pod.metadata.deletionTimestamp)
    throw conflict(BINDING, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (!dryRun) {
    storing(exchange, name, () => {
      const labelled = withTopology(pod, context.store.get(NODES, '', node));
      context.store.update(PODS, { ...labelled, spec: { ...recordAt(pod, 'spec'), nodeName: node } });
      const bound = storedObject(exchange);
      const others = listAt(bound, 'status', 'conditions').filter((each) => textAt(each, 'type') !== 'PodScheduled');
      const scheduled = {
        type: 'PodScheduled',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: kubeTime(context.now()),
      };
      const status = { ...recordAt(bound, 'status'), conditions: [...others, scheduled] };
      return context.store.update(PODS, { ...bound, status }, 'status');
    });
  }
  return succeeded(201);
}
