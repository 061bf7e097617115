import { ApiError } from '../api/status.ts';
import type { Identity } from './identity.ts';
import type { Ask } from './rbac.ts';

/** The refusal in the API server's own words: tools and people read the missing permission out of this sentence. */
export function forbidden(who: Identity, ask: Ask, reason: string): ApiError {
  const because = reason === '' ? '' : `: ${reason}`;
  if (ask.kind === 'path') {
    const message = `forbidden: User "${who.username}" cannot ${ask.verb} path "${ask.path}"${because}`;
    return new ApiError(403, 'Forbidden', message, {});
  }
  const type = ask.group === '' ? ask.resource : `${ask.resource}.${ask.group}`;
  const what = ask.name === '' ? type : `${type} "${ask.name}"`;
  const resource = ask.subresource === '' ? ask.resource : `${ask.resource}/${ask.subresource}`;
  const where = ask.namespace === '' ? 'at the cluster scope' : `in the namespace "${ask.namespace}"`;
  const message = `${what} is forbidden: User "${who.username}" cannot ${ask.verb} resource "${resource}" in API group "${ask.group}" ${where}${because}`;
  return new ApiError(403, 'Forbidden', message, {
    ...(ask.name ? { name: ask.name } : {}),
    ...(ask.group ? { group: ask.group } : {}),
    kind: ask.resource,
  });
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}
