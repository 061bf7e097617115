import { isDeepStrictEqual } from 'node:util';
import { labelSelectorTest } from '../api/selectors.ts';
import { at, type Json, listAt, numberAt, recordAt, textAt } from '../json-at.ts';
import type { GroupVersionResource, KubeObject } from '../object.ts';
import { typeKey } from '../type-key.ts';
import { type FieldError, forbiddenField, invalid, required, unsupported } from './field-error.ts';
import { validatePodSpec } from './pod-validation.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const SUBDOMAIN_DETAIL =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

type Check = (object: KubeObject, stored: KubeObject | undefined) => readonly FieldError[];

/** What a complete object (defaults filled in) may not say, alone and against what is stored. Empty when it may be stored. */
export function validate(gvr: GroupVersionResource, object: KubeObject, stored?: KubeObject): readonly FieldError[] {
  return [...nameErrors(gvr, object), ...(CHECKS[typeKey(gvr)]?.(object, stored) ?? [])];
}

function nameErrors(gvr: GroupVersionResource, object: KubeObject): readonly FieldError[] {
  const { name, generateName } = object.metadata;
  if (!name) return generateName ? [] : [required('metadata.name', 'name or generateName is required')];
  // The names of roles and bindings are free text but for a slash.
  if (gvr.group === 'rbac.authorization.k8s.io')
    return name.includes('/') ? [invalid('metadata.name', name, "may not contain '/'")] : [];
  return SUBDOMAIN.test(name) && name.length <= 253 ? [] : [invalid('metadata.name', name, SUBDOMAIN_DETAIL)];
}

const CHECKS: Readonly<Record<string, Check>> = {
  pods: (object, stored) => [
    ...validatePodSpec(recordAt(object, 'spec'), 'spec'),
    ...(stored ? podUpdateErrors(object, stored) : []),
  ],
  'deployments.apps': (object, stored) => [
    ...selectedTemplateErrors(object, stored, ['Always']),
    ...countErrors(object, ['replicas', 'revisionHistoryLimit', 'minReadySeconds', 'progressDeadlineSeconds']),
    ...strategyErrors(object),
  ],
  'replicasets.apps': (object, stored) => [
    ...selectedTemplateErrors(object, stored, ['Always']),
    ...countErrors(object, ['replicas', 'minReadySeconds']),
  ],
  'statefulsets.apps': (object, stored) => [
    ...selectedTemplateErrors(object, stored, ['Always']),
    ...countErrors(object, ['replicas']),
  ],
  'daemonsets.apps': (object, stored) => selectedTemplateErrors(object, stored, ['Always']),
  'jobs.batch': (object, stored) => [
    ...templateErrors(object, ['OnFailure', 'Never']),
    ...countErrors(object, [
      'parallelism',
      'completions',
      'backoffLimit',
      'activeDeadlineSeconds',
      'ttlSecondsAfterFinished',
    ]),
    ...(stored ? jobTemplateErrors(object, stored) : []),
    ...(stored ? immutableErrors(object, stored, ['selector', 'completions']) : []),
  ],
  services: (object) => servicePortErrors(object),
  'poddisruptionbudgets.policy': budgetErrors,
  configmaps: (object, stored) => dataErrors(object, stored),
  secrets: (object, stored) => dataErrors(object, stored),
  'rolebindings.rbac.authorization.k8s.io': bindingErrors,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingErrors,
  events: (object) => eventErrors(object),
};

function countErrors(object: KubeObject, fields: readonly string[]): readonly FieldError[] {
  return fields.flatMap((field) => {
    const value = numberAt(object, 'spec', field);
    return value !== undefined && value < 0
      ? [invalid(`spec.${field}`, value, 'must be greater than or equal to 0')]
      : [];
  });
}

function selectedTemplateErrors(
  object: KubeObject,
  stored: KubeObject | undefined,
  policies: readonly string[],
): readonly FieldError[] {
  const selector = recordAt(object, 'spec').selector;
  const labels = recordAt(object, 'spec', 'template', 'metadata', 'labels') as Record<string, string>;
  const empty =
    selector !== undefined &&
    Object.keys(recordAt(selector, 'matchLabels')).length === 0 &&
    listAt(selector, 'matchExpressions').length === 0;
  return [
    ...(selector === undefined ? [required('spec.selector')] : []),
    ...(empty ? [invalid('spec.selector', selector, 'empty selector is invalid for deployment')] : []),
    ...(labelSelectorTest(selector)(labels)
      ? []
      : [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]),
    ...templateErrors(object, policies),
    ...(stored ? immutableErrors(object, stored, ['selector']) : []),
  ];
}

function templateErrors(object: KubeObject, policies: readonly string[]): readonly FieldError[] {
  const template = recordAt(object, 'spec', 'template');
  const policy = textAt(template, 'spec', 'restartPolicy');
  return [
    ...validatePodSpec(recordAt(template, 'spec'), 'spec.template.spec'),
    ...(policy === undefined || policies.includes(policy) ? [] : [wrongPolicy(policy, policies)]),
  ];
}

/** A job has no policy by default that would do, so the API server takes `Always` for none given. */
function wrongPolicy(policy: string, policies: readonly string[]): FieldError {
  const field = 'spec.template.spec.restartPolicy';
  if (policy === 'Always') return required(field, 'valid values: "OnFailure", "Never"');
  return unsupported(field, policy, policies);
}

function immutableErrors(object: KubeObject, stored: KubeObject, fields: readonly string[]): readonly FieldError[] {
  return fields.flatMap((field) => {
    const [value, before] = [recordAt(object, 'spec')[field], recordAt(stored, 'spec')[field]];
    return isDeepStrictEqual(value, before) ? [] : [invalid(`spec.${field}`, value, 'field is immutable')];
  });
}

function jobTemplateErrors(object: KubeObject, stored: KubeObject): readonly FieldError[] {
  const [now, before] = [recordAt(object, 'spec', 'template'), recordAt(stored, 'spec', 'template')];
  if (isDeepStrictEqual(now, before)) return [];
  return [invalid('spec.template.spec', now.spec, 'field is immutable')];
}

function budgetErrors(object: KubeObject): readonly FieldError[] {
  const { minAvailable, maxUnavailable, selector } = recordAt(object, 'spec');
  if (minAvailable === undefined || maxUnavailable === undefined) return [];
  const spec = {
    MinAvailable: minAvailable,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: null,
  };
  return [invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')];
}

function strategyErrors(object: KubeObject): readonly FieldError[] {
  const type = textAt(object, 'spec', 'strategy', 'type');
  if (type === 'Recreate') return [];
  if (type !== 'RollingUpdate') {
    const strategy = { Type: type, RollingUpdate: at(object, 'spec', 'strategy', 'rollingUpdate') ?? null };
    return [unsupported('spec.strategy', strategy, ['Recreate', 'RollingUpdate'])];
  }
  const { maxSurge, maxUnavailable } = recordAt(object, 'spec', 'strategy', 'rollingUpdate');
  const zero = (value: unknown) => value === 0 || value === '0%';
  if (!zero(maxSurge) || !zero(maxUnavailable)) return [];
  return [invalid('spec.strategy.rollingUpdate.maxUnavailable', maxUnavailable, 'may not be 0 when `maxSurge` is 0')];
}

const CHANGEABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function podUpdateErrors(object: KubeObject, stored: KubeObject): readonly FieldError[] {
  if (isDeepStrictEqual(fixedPart(object), fixedPart(stored))) return [];
  return [forbiddenField('spec', `pod updates may not change fields other than ${CHANGEABLE}`)];
}

function fixedPart(pod: KubeObject): Json {
  const { activeDeadlineSeconds: _a, tolerations: _t, ...fixed } = recordAt(pod, 'spec');
  const withoutImages = (list: string) =>
    listAt(fixed, list).map((each) => ({ ...recordAt(each), image: '', imagePullPolicy: '' }));
  return { ...fixed, containers: withoutImages('containers'), initContainers: withoutImages('initContainers') };
}

function servicePortErrors(object: KubeObject): readonly FieldError[] {
  const spec = recordAt(object, 'spec');
  const ports = listAt(spec, 'ports');
  if (ports.length === 0 && spec.type !== 'ExternalName' && spec.clusterIP !== 'None') return [required('spec.ports')];
  return ports.flatMap((port, index) => {
    const number = numberAt(port, 'port');
    const range = 'must be between 1 and 65535, inclusive';
    const target = at(port, 'targetPort');
    return [
      ...(isPort(number) ? [] : [invalid(`spec.ports[${index}].port`, number ?? 0, range)]),
      ...(typeof target !== 'number' || isPort(target)
        ? []
        : [invalid(`spec.ports[${index}].targetPort`, target, range)]),
    ];
  });
}

function isPort(number: number | undefined): boolean {
  return number !== undefined && number > 0 && number < 65_536;
}

function dataErrors(object: KubeObject, stored: KubeObject | undefined): readonly FieldError[] {
  const wrong = Object.entries(recordAt(object, 'data')).filter(([, value]) => typeof value !== 'string');
  const sealed = stored?.immutable === true && !isDeepStrictEqual(stored.data, object.data);
  return [
    ...wrong.map(([key, value]) => invalid(`data[${key}]`, value, 'must be a string')),
    ...(sealed ? [forbiddenField('data', 'field is immutable when `immutable` is set')] : []),
  ];
}

function bindingErrors(object: KubeObject, stored: KubeObject | undefined): readonly FieldError[] {
  if (!textAt(object, 'roleRef', 'name')) return [required('roleRef.name')];
  if (stored && !isDeepStrictEqual(stored.roleRef, object.roleRef))
    return [invalid('roleRef', object.roleRef, 'cannot change roleRef')];
  return [];
}

function eventErrors(object: KubeObject): readonly FieldError[] {
  const about = textAt(object, 'involvedObject', 'namespace') ?? '';
  const { namespace } = object.metadata;
  // What has no namespace is told of in `default`. Events of the newer kind, which have a time of their own, are not looked at.
  const fine = object.eventTime || about === namespace || (about === '' && namespace === 'default');
  const note = textAt(object, 'message') ?? '';
  return [
    ...(fine ? [] : [invalid('involvedObject.namespace', about, 'does not match event.namespace')]),
    ...(note.length > 1024 && object.eventTime ? [invalid('note', '', 'can have at most 1024 characters')] : []),
  ];
}
