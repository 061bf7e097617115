import { parseQuantity } from '@hephaisto/core/facts/quantity';
import { isRecord, type Json, listAt, recordAt, textAt } from '../json-at.ts';
import { absent, duplicate, type FieldError, invalid, required, unsupported } from './field-error.ts';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DNS_LABEL_DETAIL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const STANDARD_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage']);
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

export function validatePodSpec(spec: Json, path: string): readonly FieldError[] {
  const containers = listAt(spec, 'containers');
  const names = new Set<string>();
  return [
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...['initContainers', 'containers'].flatMap((list) =>
      listAt(spec, list).flatMap((each, index) => validateContainer(each, `${path}.${list}[${index}]`, spec, names)),
    ),
    ...restartPolicyErrors(spec, path),
    ...listAt(spec, 'volumes').flatMap((volume, index) =>
      nameErrors(textAt(volume, 'name'), `${path}.volumes[${index}].name`),
    ),
    ...graceErrors(spec, path),
  ];
}

function restartPolicyErrors(spec: Json, path: string): readonly FieldError[] {
  const policies = ['Always', 'OnFailure', 'Never'];
  const policy = spec.restartPolicy;
  return policies.includes(String(policy)) ? [] : [unsupported(`${path}.restartPolicy`, policy, policies)];
}

function graceErrors(spec: Json, path: string): readonly FieldError[] {
  const grace = spec.terminationGracePeriodSeconds;
  const fine = grace === undefined || (typeof grace === 'number' && grace >= 0);
  return fine ? [] : [invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than or equal to 0')];
}

function validateContainer(container: unknown, path: string, spec: Json, names: Set<string>): readonly FieldError[] {
  const name = textAt(container, 'name');
  const taken = name !== undefined && names.has(name);
  if (name !== undefined) names.add(name);
  const policy = recordAt(container).imagePullPolicy;
  return [
    ...nameErrors(name, `${path}.name`),
    ...(taken ? [duplicate(`${path}.name`, name)] : []),
    ...(textAt(container, 'image') ? imageErrors(textAt(container, 'image') ?? '', path) : [required(`${path}.image`)]),
    ...(PULL_POLICIES.includes(String(policy)) ? [] : [unsupported(`${path}.imagePullPolicy`, policy, PULL_POLICIES)]),
    ...listAt(container, 'env').flatMap((each, index) => envErrors(each, `${path}.env[${index}]`)),
    ...listAt(container, 'ports').flatMap((each, index) => portErrors(each, `${path}.ports[${index}]`)),
    ...listAt(container, 'volumeMounts').flatMap((each, index) =>
      mountErrors(each, `${path}.volumeMounts[${index}]`, spec),
    ),
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((probe) =>
      probeErrors(recordAt(container)[probe], `${path}.${probe}`),
    ),
    ...resourceErrors(recordAt(container, 'resources'), `${path}.resources`),
  ];
}

function nameErrors(name: string | undefined, path: string): readonly FieldError[] {
  if (!name) return [required(path)];
  return DNS_LABEL.test(name) ? [] : [invalid(path, name, DNS_LABEL_DETAIL)];
}

function imageErrors(image: string, path: string): readonly FieldError[] {
  return image.trim() === image
    ? []
    : [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')];
}

function envErrors(variable: unknown, path: string): readonly FieldError[] {
  if (!textAt(variable, 'name')) return [required(`${path}.name`)];
  const both = textAt(variable, 'value') && isRecord(recordAt(variable).valueFrom);
  return both ? [invalid(`${path}.valueFrom`, '', 'may not be specified when `value` is not empty')] : [];
}

function portErrors(port: unknown, path: string): readonly FieldError[] {
  const number = recordAt(port).containerPort;
  if (number === undefined || number === 0) return [required(`${path}.containerPort`)];
  const fine = Number.isInteger(number) && Number(number) > 0 && Number(number) < 65_536;
  return fine ? [] : [invalid(`${path}.containerPort`, number, 'must be between 1 and 65535, inclusive')];
}

function mountErrors(mount: unknown, path: string, spec: Json): readonly FieldError[] {
  const name = textAt(mount, 'name');
  const known = listAt(spec, 'volumes').some((volume) => textAt(volume, 'name') === name);
  return [
    ...(known ? [] : [absent(`${path}.name`, name ?? '')]),
    ...(textAt(mount, 'mountPath') ? [] : [required(`${path}.mountPath`)]),
  ];
}

function probeErrors(probe: unknown, path: string): readonly FieldError[] {
  if (!isRecord(probe)) return [];
  const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'].filter((each) => probe[each] !== undefined);
  return handlers.length === 0 ? [required(path, 'must specify a handler type')] : [];
}

function resourceErrors(resources: Json, path: string): readonly FieldError[] {
  const limits = recordAt(resources, 'limits');
  const requests = recordAt(resources, 'requests');
  return [
    ...amountErrors(limits, `${path}.limits`),
    ...amountErrors(requests, `${path}.requests`),
    ...Object.entries(requests).flatMap(([name, request]) => {
      const limit = limits[name];
      const over = limit !== undefined && (parseQuantity(request) ?? 0) > (parseQuantity(limit) ?? 0);
      return over
        ? [invalid(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`)]
        : [];
    }),
  ];
}

function amountErrors(amounts: Json, path: string): readonly FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const value = parseQuantity(amount);
    if (!STANDARD_RESOURCES.has(name) && !name.startsWith('hugepages-') && !name.includes('/')) {
      const field = `${path}[${name}]`;
      return [
        invalid(field, name, 'must be a standard resource type or fully qualified'),
        invalid(field, name, 'must be a standard resource for containers'),
      ];
    }
    if (value !== undefined && value < 0)
      return [invalid(`${path}[${name}]`, amount, 'must be greater than or equal to 0')];
    const fraction = name.includes('/') && value !== undefined && !Number.isInteger(value);
    return fraction ? [invalid(`${path}[${name}]`, amount, 'must be an integer')] : [];
  });
}
