import { type Answer, json } from './exchange.ts';
import { API_RESOURCES, type ApiResource, groupVersion } from './resources.ts';
import { VERSION } from './version.ts';

/**
 * The OpenAPI paths, without schemas: just enough for clients to learn that validation and dry runs are the server's business,
 * which is what they look up here before a write. Undefined for a document that does not exist.
 */
export function openApi(path: string): Answer | undefined {
  const wanted = path
    .split('/')
    .filter((part) => part !== '')
    .slice(2)
    .join('/');
  if (path === '/openapi/v3') {
    const documents = [...new Set(API_RESOURCES.map(documentOf))];
    return json(200, {
      paths: Object.fromEntries(documents.map((each) => [each, { serverRelativeURL: `/openapi/v3/${each}` }])),
    });
  }
  const resources = API_RESOURCES.filter((each) => documentOf(each) === wanted);
  if (!path.startsWith('/openapi/v3/') || resources.length === 0) return undefined;
  return json(200, {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: VERSION.gitVersion },
    paths: Object.fromEntries(resources.map((each) => [objectPath(each), { patch: operation(each) }])),
    components: { schemas: {} },
  });
}

function documentOf(resource: ApiResource): string {
  return `${resource.group === '' ? 'api' : 'apis'}/${groupVersion(resource)}`;
}

function objectPath(resource: ApiResource): string {
  const scope = resource.namespaced ? 'namespaces/{namespace}/' : '';
  return `/${documentOf(resource)}/${scope}${resource.resource}/{name}`;
}

function operation({ group, version, kind }: ApiResource) {
  const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });
  return {
    parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(parameter),
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}
