import { listAt, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import { type ContractCase, type Stage, whole } from '../case.ts';
import { coreEvent, idleDeployment, parkedPod, path } from '../objects.ts';

async function menagerie({ admin, namespace }: Stage): Promise<void> {
  const animals = [
    ['ant', { kind: 'insect', legs: '6' }],
    ['bee', { kind: 'insect', legs: '6', wings: 'yes' }],
    ['cat', { kind: 'mammal', legs: '4' }],
    ['owl', { kind: 'bird', wings: 'yes' }],
  ] as const;
  for (const [name, labels] of animals) await admin.post(path('pods', namespace), parkedPod(name, { labels }));
}

async function selected({ operator, namespace }: Stage, query: string, resource = 'pods'): Promise<unknown> {
  const answer = await operator.get(`${path(resource, namespace)}?${query}`);
  if (answer.status !== 200) return whole(answer);
  return listAt(answer.body, 'items').map((each) => textAt(each, 'metadata', 'name'));
}

async function bySelectors(stage: Stage, parameter: string, selectors: readonly string[], resource = 'pods') {
  const found: Record<string, unknown> = {};
  for (const each of selectors)
    found[each] = await selected(stage, `${parameter}=${encodeURIComponent(each)}`, resource);
  return found;
}

export const SELECTING: readonly ContractCase[] = [
  {
    id: 'label-selectors',
    title: 'label selectors in every form',
    run: async (stage) => {
      await menagerie(stage);
      return bySelectors(stage, 'labelSelector', [
        'kind=insect',
        'kind==insect',
        'kind!=insect',
        'kind in (insect,bird)',
        'kind in (insect, bird)',
        'kind notin (insect)',
        'wings',
        '!wings',
        'legs=6,wings',
        'kind=insect,kind!=mammal,!tail',
        'legs notin (4),wings=yes',
        'kind=',
        '',
        'nobody=here',
      ]);
    },
  },
  {
    id: 'label-selectors-malformed',
    title: 'malformed label selectors are refused',
    run: async (stage) =>
      bySelectors(stage, 'labelSelector', ['=x', 'a=b=c', 'kind in ', 'kind in (a', 'k y=v', 'a=%%', '-a=b']),
  },
  {
    id: 'field-selectors',
    title: 'field selectors of pods',
    run: async (stage) => {
      await menagerie(stage);
      return bySelectors(stage, 'fieldSelector', [
        'metadata.name=bee',
        'metadata.name!=bee',
        'status.phase=Pending',
        'status.phase!=Pending',
        'spec.nodeName=',
        'spec.nodeName!=',
        'spec.restartPolicy=Always,metadata.name=ant',
        'spec.schedulerName=nobody',
        `metadata.namespace=${stage.namespace}`,
        'metadata.namespace=elsewhere',
      ]);
    },
  },
  {
    id: 'field-selectors-unsupported',
    title: 'fields that cannot be selected by, and forms that are none',
    run: async (stage) => ({
      pods: await bySelectors(stage, 'fieldSelector', [
        'spec.containers=x',
        'metadata.uid=x',
        'nonsense',
        'status.phase',
      ]),
      deployments: await bySelectors(stage, 'fieldSelector', ['spec.replicas=1', 'status.phase=x'], 'deployments'),
      jobs: await bySelectors(stage, 'fieldSelector', ['status.successful=0', 'spec.suspend=true'], 'jobs'),
    }),
  },
  {
    id: 'field-selectors-events',
    title: 'events by what they are about',
    run: async (stage) => {
      const { admin, namespace } = stage;
      await admin.post(path('events', namespace), coreEvent('one', namespace));
      await admin.post(path('events', namespace), coreEvent('two', namespace, { reason: 'Pulled', type: 'Normal' }));
      const pod = { apiVersion: 'v1', kind: 'Pod', namespace, name: 'db' };
      await admin.post(path('events', namespace), coreEvent('three', namespace, { involvedObject: pod }));
      return bySelectors(
        stage,
        'fieldSelector',
        [
          'involvedObject.kind=Pod,involvedObject.name=web',
          'involvedObject.kind=Pod,involvedObject.name=web,involvedObject.uid=b3e4c5f6-0000-4000-8000-000000000001',
          'involvedObject.name=db',
          'reason=BackOff',
          'type=Warning',
          'type!=Warning',
          'source=kubelet',
          'reportingComponent=kubelet',
          'involvedObject.namespace=elsewhere',
          'message=x',
        ],
        'events',
      );
    },
  },
  {
    id: 'field-selectors-nodes',
    title: 'nodes by name and by whether they take pods',
    run: async ({ operator }) => {
      const names = async (selector: string) => {
        const answer = await operator.get(`${path('nodes')}?fieldSelector=${encodeURIComponent(selector)}`);
        return listAt(answer.body, 'items').map((each) => textAt(each, 'metadata', 'name'));
      };
      return [await names('metadata.name=node-a'), await names('spec.unschedulable=false,metadata.name!=node-b')];
    },
  },
  {
    id: 'select-deployments',
    title: 'deployments by label and name',
    run: async (stage) => {
      for (const name of ['web', 'db'])
        await stage.admin.post(path('deployments', stage.namespace), idleDeployment(name));
      return {
        label: await selected(stage, 'labelSelector=app.kubernetes.io%2Fname%3Ddb', 'deployments'),
        field: await selected(stage, 'fieldSelector=metadata.name%3Dweb', 'deployments'),
      };
    },
  },
];
