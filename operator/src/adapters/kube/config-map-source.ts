import type { ConfigMapSource, ConfigMapState } from '@hephaisto/core/ports/config-map';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import type { KubeConnection } from './connection.ts';
import { resourcePath } from './resource-path.ts';

/** One watch never lasts longer, so a connection that died without a word is noticed. */
const WATCH_SECONDS = 30;

/** List and watch of one ConfigMap by name, which is all that the Role on it grants. */
export function createConfigMapSource(
  connection: KubeConnection,
  object: { readonly namespace: string; readonly name: string },
): ConfigMapSource {
  const path = resourcePath('v1', 'configmaps', object.namespace, '');
  const fieldSelector = `metadata.name=${object.name}`;
  return {
    async read() {
      const answer = await connection.request({ method: 'GET', path, query: { fieldSelector }, timeoutMs: 2_000 });
      if (answer.kind === 'failure') return answer;
      const list = parsed(answer.value.text);
      const version = textOf(list, 'metadata', 'resourceVersion');
      if (list === undefined || version === undefined) return malformed('a list of ConfigMaps');
      const items = Array.isArray(list.items) ? list.items : [];
      const item = items.find((each) => textOf(each, 'metadata', 'name') === object.name);
      return {
        kind: 'ok',
        value: item === undefined ? { kind: 'missing', resourceVersion: version } : present(item, version),
      };
    },
    async follow(resourceVersion, onChange, signal) {
      let broken: KubeFailure | undefined;
      const stop = new AbortController();
      const ended = await connection.stream(
        {
          method: 'GET',
          path,
          query: { fieldSelector, watch: 'true', resourceVersion, timeoutSeconds: String(WATCH_SECONDS) },
          timeoutMs: (WATCH_SECONDS + 10) * 1000,
          signal: AbortSignal.any([signal, stop.signal]),
        },
        (line) => {
          if (broken !== undefined) return;
          const event = parsed(line);
          const type = textOf(event, 'type');
          if (type === 'ADDED' || type === 'MODIFIED') onChange(present(event?.object, ''));
          else if (type === 'DELETED') onChange({ kind: 'missing', resourceVersion: '' });
          else if (type !== 'BOOKMARK') {
            // A server that leaves the stream open after an error would show an old switch until the stream is silent for too long.
            broken = malformed('a watch event');
            stop.abort();
          }
        },
      );
      return broken ?? ended;
    },
  };
}

function present(object: unknown, version: string): ConfigMapState {
  const data = memberOf(object, 'data');
  const entries = data !== null && typeof data === 'object' ? Object.entries(data) : [];
  return {
    kind: 'present',
    resourceVersion: version,
    data: Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function memberOf(object: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (here, key) => (here !== null && typeof here === 'object' ? (here as Record<string, unknown>)[key] : undefined),
    object,
  );
}

function textOf(object: unknown, ...path: readonly string[]): string | undefined {
  const value = memberOf(object, ...path);
  return typeof value === 'string' ? value : undefined;
}

function malformed(expected: string): KubeFailure {
  return { kind: 'failure', reason: 'malformed', message: `expected ${expected}, found something else` };
}
