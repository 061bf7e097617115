import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate } from './access/authenticate.ts';
import { forbidden } from './access/forbidden.ts';
import { ANONYMOUS, type Identity } from './access/identity.ts';
import { type Ask, authorize } from './access/rbac.ts';
import { readBody } from './api/body.ts';
import { readDryRun } from './api/delete.ts';
import type { Answer, ApiContext } from './api/exchange.ts';
import { pageNotFound, plainPath } from './api/plain-paths.ts';
import { parseRequestInfo, type RequestInfo } from './api/request-info.ts';
import { findResource, isServed } from './api/resources.ts';
import { route, unknownResource } from './api/route.ts';
import { ApiError, statusObject } from './api/status.ts';
import type { Fault, FaultyRequest } from './faults.ts';
import { textAt } from './json-at.ts';
import { isWrite, type RequestRecord } from './request-record.ts';

export interface ApiServerOptions {
  readonly context: ApiContext;
  readonly takeFault: (request: FaultyRequest) => Fault | undefined;
  readonly note: (record: Omit<RequestRecord, 'sequence'>) => void;
}

/** Their bodies carry tokens or secret values, which nobody's memory may hold. */
const UNRECORDED_BODIES = new Set(['secrets', 'tokenreviews']);

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  who: Identity;
  body: unknown;
  dryRun: boolean;
  noted: boolean;
}

/** One function from request to answer: who, faults, may they, what, record. Never throws. */
export function createApiServer(options: ApiServerOptions) {
  const { context } = options;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = newCall(request, response);
    // Gone before an answer began: hung, dropped, or the client gave up.
    response.once('close', () => note(call, 0));
    try {
      call.who = authenticate(request.headers, context.tokens, context.store);
      const fault = options.takeFault({
        ...call.info,
        method: request.method ?? 'GET',
        user: call.who.username,
        dryRun: call.query.has('dryRun'),
      });
      call.body = await readBody(request);
      if (fault && (await befall(call, fault)) === 'over') return;
      const answer = await handle(call, fault?.kind === 'cut-watch' ? fault.afterEvents : undefined);
      if (fault?.kind === 'lost-answer') response.destroy();
      else if (answer) finish(call, answer);
    } catch (error) {
      refuse(call, error);
    }
  }

  async function befall(call: Call, fault: Fault): Promise<'over' | 'go-on'> {
    switch (fault.kind) {
      case 'hang':
        return 'over';
      case 'drop':
        call.response.destroy();
        return 'over';
      case 'delay':
        await context.timers.sleep(fault.milliseconds);
        return 'go-on';
      case 'answer': {
        const error = new ApiError(
          fault.status,
          fault.reason ?? 'Unknown',
          fault.message ?? 'the API server is not well',
        );
        const text = fault.body ?? JSON.stringify(statusObject(error));
        finish(call, { code: fault.status, text, ...(fault.headers ? { headers: fault.headers } : {}) });
        return 'over';
      }
      case 'lost-answer':
      case 'cut-watch':
        return 'go-on';
    }
  }

  async function handle(call: Call, cutAfter: number | undefined): Promise<Answer | undefined> {
    const { request, response, query, info, who } = call;
    permit(who, askFor(info));
    if (!info.isResource) return plainPath(info.path, request.headers.accept ?? '');
    const resource = findResource(info);
    if (!resource && !isServed(info)) return pageNotFound();
    if (!resource || (info.namespace !== '' && !resource.namespaced && info.resource !== 'namespaces'))
      throw unknownResource();
    const handler = route(resource, info);
    call.dryRun = readDryRun(info.verb, call.body, query);
    const started = (code: number) => note(call, code);
    const cut = cutAfter === undefined ? {} : { cutAfter };
    return handler({
      context,
      request,
      response,
      query,
      info,
      resource,
      who,
      body: call.body,
      dryRun: call.dryRun,
      started,
      ...cut,
    });
  }

  function permit(who: Identity, ask: Ask): void {
    const verdict = authorize(context.store, who, ask);
    if (verdict.kind !== 'allowed') throw forbidden(who, ask, verdict.reason);
  }

  function refuse(call: Call, error: unknown): void {
    if (call.response.headersSent || call.response.destroyed) {
      call.response.destroy();
      return;
    }
    const refusal = error instanceof ApiError ? error : unexpected(error);
    const seconds = refusal.details?.retryAfterSeconds;
    finish(call, {
      code: refusal.code,
      text: JSON.stringify(statusObject(refusal)),
      ...(seconds === undefined ? {} : { headers: { 'retry-after': String(seconds) } }),
    });
  }

  function finish(call: Call, { code, text, contentType = 'application/json', headers = {} }: Answer): void {
    note(call, code);
    const length = code === 204 ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) };
    call.response.writeHead(code, {
      'cache-control': 'no-cache, private',
      ...length,
      ...warningFor(call),
      ...headers,
    });
    call.response.end(call.request.method === 'HEAD' || code === 204 ? undefined : text);
  }

  function note(call: Call, status: number): void {
    if (call.noted) return;
    call.noted = true;
    const { verb, group, resource, subresource, namespace, name, path } = call.info;
    const recorded = isWrite(call.info) && !UNRECORDED_BODIES.has(resource) && call.body !== undefined;
    options.note({
      at: context.now().toISOString(),
      user: call.who.username,
      userAgent: call.request.headers['user-agent'] ?? '',
      ...{ verb, group, resource, subresource, namespace, name, path },
      dryRun: call.dryRun,
      patchType: verb === 'patch' ? call.request.headers['content-type'] : undefined,
      status,
      ...(recorded ? { body: call.body } : {}),
    });
  }

  return { serve };
}

function newCall(request: IncomingMessage, response: ServerResponse): Call {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const info = parseRequestInfo(request.method ?? 'GET', mark < 0 ? url : url.slice(0, mark), query);
  return { request, response, query, info, who: ANONYMOUS, body: undefined, dryRun: false, noted: false };
}

function askFor(info: RequestInfo): Ask {
  if (!info.isResource) return { kind: 'path', verb: info.verb, path: info.path };
  const { verb, group, resource, subresource, namespace, name } = info;
  return { kind: 'resource', verb, group, resource, subresource, namespace, name };
}

function unexpected(error: unknown): ApiError {
  return new ApiError(
    500,
    'InternalError',
    `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`,
  );
}

const ENDPOINTS_WARNING = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"';
const JOB_WARNING =
  '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"';

/** What people are told beside an answer. */
function warningFor({ info, body, query }: Call): Readonly<Record<string, string>> {
  if (info.group === '' && info.resource === 'endpoints') return { warning: ENDPOINTS_WARNING };
  const isJobDelete = info.verb === 'delete' && info.group === 'batch' && info.resource === 'jobs';
  const propagates = textAt(body, 'propagationPolicy') ?? query.get('propagationPolicy');
  return isJobDelete && !propagates ? { warning: JOB_WARNING } : {};
}
