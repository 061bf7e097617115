import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { invalid, invalidObject } from '../admission/field-error.ts';
import { listAt, numberAt, textAt, textsAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import type { Answer, Exchange } from './exchange.ts';
import { storedObject } from './modify.ts';
import { ApiError, badRequest, details, notFound } from './status.ts';

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const PASSED_ON = ['follow', 'limitBytes', 'previous', 'sinceSeconds', 'sinceTime', 'tailLines', 'timestamps'];
const MOST_ERROR_BYTES = 16_384;

/** `pods/log`: fetched from the kubelet of the pod's node and passed through as it comes. */
export async function podLog(exchange: Exchange): Promise<Answer | undefined> {
  const pod = storedObject(exchange);
  requireCounts(exchange);
  const container = chosenContainer(pod, exchange.query.get('container'));
  const nodeName = textAt(pod, 'spec', 'nodeName');
  // Where no kubelet has the pod yet there is nothing to read, and that is no error.
  if (!nodeName) return { code: 204, text: '' };
  const url = kubeletUrl(exchange, pod, container, nodeName);
  const answer = await fromKubelet(exchange, url);
  if (answer.statusCode !== 200) throw await kubeletRefusal(exchange, answer);
  exchange.response.writeHead(200, { 'content-type': 'text/plain' });
  exchange.response.flushHeaders();
  exchange.started(200);
  await pipeline(answer, exchange.response).catch(() => exchange.response.destroy());
  return undefined;
}

function requireCounts({ query, info }: Exchange): void {
  const least = { tailLines: 0, limitBytes: 1, sinceSeconds: 1 };
  const errors = Object.entries(least).flatMap(([option, minimum]) => {
    const text = query.get(option);
    const value = Number(text);
    if (Number.isNaN(value)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
    if (text === null || (Number.isInteger(value) && value >= minimum)) return [];
    return [invalid(option, value, `must be greater than ${minimum === 0 ? 'or equal to 0' : '0'}`)];
  });
  if (errors.length > 0) throw invalidObject('PodLogOptions', '', info.name, errors);
}

function chosenContainer(pod: KubeObject, asked: string | null): string {
  const { name } = pod.metadata;
  const names = ['containers', 'initContainers', 'ephemeralContainers'].map((list) =>
    listAt(pod, 'spec', list).map((each) => textAt(each, 'name') ?? ''),
  );
  const [regular = [], init = []] = names;
  if (asked) {
    if (names.flat().includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [only] = regular;
  if (only !== undefined && names.flat().length === 1) return only;
  const inits = init.length > 0 ? ` or one of the init containers: [${init.join(' ')}]` : '';
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${regular.join(' ')}]${inits}`);
}

function kubeletUrl({ context, query }: Exchange, pod: KubeObject, container: string, nodeName: string): URL {
  const node = context.store.get(NODES, '', nodeName);
  if (!node) throw notFound(NODES, nodeName);
  const address = listAt(node, 'status', 'addresses').find((each) => textAt(each, 'type') === 'InternalIP');
  const port = numberAt(node, 'status', 'daemonEndpoints', 'kubeletEndpoint', 'Port');
  if (address === undefined || !port)
    throw internal(
      `no preferred addresses found; known addresses: ${JSON.stringify(textsAt(node, 'status', 'addresses'))}`,
    );
  const { namespace = '', name } = pod.metadata;
  const url = new URL(`https://${textAt(address, 'address')}:${port}/containerLogs/${namespace}/${name}/${container}`);
  for (const option of PASSED_ON) {
    const value = query.get(option);
    if (value !== null) url.searchParams.set(option, value);
  }
  return url;
}

function fromKubelet({ request, response }: Exchange, url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A kubelet's certificate is its own; nothing but what it says about one pod is taken from it.
    const outgoing = httpsRequest(url, { rejectUnauthorized: false, agent: false }, resolve);
    outgoing.on('error', (error) => reject(internal(`Get "${url}": dial tcp ${url.host}: ${error.message}`)));
    // Whoever follows a log and goes away must not leave the kubelet writing to nobody.
    response.once('close', () => outgoing.destroy());
    request.once('aborted', () => outgoing.destroy());
    outgoing.end();
  });
}

async function kubeletRefusal({ resource, info }: Exchange, answer: IncomingMessage): Promise<ApiError> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MOST_ERROR_BYTES) break;
  }
  const text = Buffer.concat(chunks).toString('utf8').trim();
  const code = answer.statusCode ?? 500;
  if (code === 400) return badRequest(text);
  if (code === 404) {
    const message = `the server could not find the requested resource ( ${resource.resource} ${info.name})`;
    return new ApiError(404, 'NotFound', text || message, details(resource, info.name));
  }
  if (code === 500) return internal(text);
  return new ApiError(code, (STATUS_CODES[code] ?? 'Unknown').replaceAll(' ', ''), text, details(resource, info.name));
}

function internal(why: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}
