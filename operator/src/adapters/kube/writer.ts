import type { KubeWrite } from '@hephaisto/core/action/types';
import { LABEL_DOMAIN, PRODUCT } from '@hephaisto/core/names';
import type { Clock, Ids } from '@hephaisto/core/ports/clock';
import type { KubeFailure, KubeRead, KubeWriter } from '@hephaisto/core/ports/kube';
import type { KubeCall, KubeConnection } from './connection.ts';
import { resourcePath } from './resource-path.ts';

const NOTE_BYTES = 1024;

/**
 * The one client that can change a cluster, and only by JSON Patch, by the scale subresource, by eviction and by delete. One call is one request; a
 * failure says whether anything can have happened, and nothing is repeated here.
 */
export function createKubeWriter(
  connection: KubeConnection,
  deps: { readonly clock: Clock; readonly ids: Ids; readonly instance: string; readonly timeoutMs: number },
): KubeWriter {
  async function json(call: KubeCall): Promise<KubeRead<Readonly<Record<string, unknown>>>> {
    const answer = await connection.request({ timeoutMs: deps.timeoutMs, ...call });
    if (answer.kind === 'failure') return answer;
    return objectIn(answer.value.text);
  }
  return {
    send: (write, options) =>
      json({ ...callOf(write, options.dryRun), ...(options.signal === undefined ? {} : { signal: options.signal }) }),
    async event(event) {
      const where = event.regarding.namespace === '' ? 'default' : event.regarding.namespace;
      const name = `${event.regarding.name.slice(0, 200)}.${deps.ids.uuid().replaceAll('-', '').slice(-16)}`;
      const answer = await json({
        method: 'POST',
        path: resourcePath('events.k8s.io/v1', 'events', where, ''),
        query: { fieldManager: PRODUCT },
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name, namespace: where },
          eventTime: deps.clock.now().toISOString().replace('Z', '000Z'),
          reportingController: `${LABEL_DOMAIN}/operator`,
          reportingInstance: deps.instance.slice(0, 128),
          action: event.action,
          reason: event.reason,
          regarding: event.regarding,
          note: clipped(event.note),
          type: event.type,
        }),
      });
      return answer.kind === 'ok' ? { kind: 'ok', value: name } : answer;
    },
  };
}

function callOf(write: KubeWrite, dryRun: boolean): KubeCall {
  const base = resourcePath(write.apiVersion, write.resource, write.namespace, write.name);
  const query = { dryRun: dryRun ? 'All' : undefined, fieldManager: PRODUCT };
  if (write.verb === 'patch')
    return {
      method: 'PATCH',
      path: write.subresource === undefined ? base : `${base}/${write.subresource}`,
      query,
      headers: { 'content-type': 'application/json-patch+json' },
      body: JSON.stringify(write.patch),
    };
  if (write.verb === 'evict')
    return {
      method: 'POST',
      path: `${base}/eviction`,
      query,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: write.name, namespace: write.namespace },
        deleteOptions: { preconditions: write.preconditions, ...(dryRun ? { dryRun: ['All'] } : {}) },
      }),
    };
  return {
    method: 'DELETE',
    path: base,
    query: { dryRun: query.dryRun },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: write.preconditions,
      ...(write.propagation === undefined ? {} : { propagationPolicy: write.propagation }),
      ...(dryRun ? { dryRun: ['All'] } : {}),
    }),
  };
}

function objectIn(text: string): KubeRead<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object')
      return { kind: 'ok', value: value as Readonly<Record<string, unknown>> };
  } catch {
    // Falls through: an answer that is no JSON proves nothing about what was done.
  }
  const failure: KubeFailure = {
    kind: 'failure',
    reason: 'malformed',
    message: 'expected a JSON object as the answer to a write',
  };
  return failure;
}

function clipped(note: string): string {
  return Buffer.byteLength(note) <= NOTE_BYTES
    ? note
    : `${Buffer.from(note)
        .subarray(0, NOTE_BYTES - 4)
        .toString('utf8')
        .replace(/\uFFFD$/, '')}…`;
}
