import type { KubeObject } from '../cluster/object.ts';
import { type HttpsTransport, httpsTransport } from './https-transport.ts';
import { type ClusterAccess, clusterAccess } from './kubeconfig.ts';
import { PODS, type ResourceType, resourcePath } from './resource.ts';

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

export interface RemoveOptions {
  readonly uid?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

export interface LogOptions {
  readonly container?: string;
  readonly previous?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly limitBytes?: number;
  readonly timestamps?: boolean;
}

/**
 * A small client of the Kubernetes API. Every method throws KubeApiError when the server refuses or does not answer; none
 * retries, since only the caller knows whether a repeat is safe.
 */
export interface KubeClient {
  get<T extends KubeObject>(type: ResourceType<T>, namespace: string | undefined, name: string): Promise<T>;
  /** The whole collection, page by page; all namespaces when `namespace` is undefined. */
  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string, selectors?: Selectors): Promise<Listed<T>>;
  create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  /** PUT; the object's resourceVersion, where it has one, is the precondition. */
  replace<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  replaceStatus<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string | undefined,
    name: string,
    operations: readonly JsonPatchOperation[],
    subresource?: string,
  ): Promise<T>;
  remove(type: ResourceType, namespace: string | undefined, name: string, options?: RemoveOptions): Promise<void>;
  /** Asks for the pod's eviction, which honours disruption budgets. */
  evict(namespace: string, pod: string): Promise<void>;
  /** One watch connection from `resourceVersion` on, bookmarks included; ends when the server ends it. */
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    resourceVersion: string,
    options: Selectors & {
      readonly namespace?: string;
      readonly timeoutSeconds?: number;
      readonly signal: AbortSignal;
    },
  ): AsyncIterable<WatchEvent<T>>;
  logs(namespace: string, pod: string, options?: LogOptions): Promise<string>;
  close(): void;
}

const PAGE = 500;

interface ListBody<T> {
  readonly items?: readonly T[];
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

function clientOver(transport: HttpsTransport): KubeClient {
  async function json<T>(call: Parameters<HttpsTransport['text']>[0]): Promise<T> {
    return JSON.parse(await transport.text(call)) as T;
  }

  async function list<T extends KubeObject>(
    type: ResourceType<T>,
    namespace?: string,
    selectors: Selectors = {},
  ): Promise<Listed<T>> {
    const items: T[] = [];
    let resourceVersion = '';
    let from: string | undefined;
    do {
      const query = { ...selectors, limit: PAGE, continue: from };
      const page = await json<ListBody<T>>({ method: 'GET', path: resourcePath(type, namespace), query });
      // items of a list carry neither kind nor apiVersion; readers expect whole objects
      const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
      for (const item of page.items ?? []) items.push({ ...item, apiVersion, kind: type.kind });
      resourceVersion = page.metadata?.resourceVersion ?? '';
      from = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
    } while (from !== undefined);
    return { items, resourceVersion };
  }

  return {
    get: (type, namespace, name) => json({ method: 'GET', path: resourcePath(type, namespace, name) }),
    list,
    create: (type, object) => {
      const path = resourcePath(type, type.namespaced ? object.metadata.namespace : undefined);
      return json({ method: 'POST', path, body: object });
    },
    replace: (type, object) => {
      const { namespace, name } = object.metadata;
      return json({
        method: 'PUT',
        path: resourcePath(type, type.namespaced ? namespace : undefined, name),
        body: object,
      });
    },
    replaceStatus: (type, object) => {
      const { namespace, name } = object.metadata;
      const path = resourcePath(type, type.namespaced ? namespace : undefined, name, 'status');
      return json({ method: 'PUT', path, body: object });
    },
    patch: (type, namespace, name, operations, subresource) =>
      json({
        method: 'PATCH',
        path: resourcePath(type, namespace, name, subresource),
        body: operations,
        contentType: 'application/json-patch+json',
      }),
    remove: async (type, namespace, name, options = {}) => {
      const { uid, ...rest } = options;
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        ...rest,
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      };
      await transport.text({ method: 'DELETE', path: resourcePath(type, namespace, name), body });
    },
    evict: async (namespace, pod) => {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
      await transport.text({ method: 'POST', path: resourcePath(PODS, namespace, pod, 'eviction'), body });
    },
    async *watch(type, resourceVersion, options) {
      const { namespace, signal, ...selectors } = options;
      const query = { watch: true, allowWatchBookmarks: true, resourceVersion, ...selectors };
      for await (const line of transport.lines({ method: 'GET', path: resourcePath(type, namespace), query, signal })) {
        if (line !== '') yield JSON.parse(line);
      }
    },
    logs: (namespace, pod, options = {}) =>
      transport.text({ method: 'GET', path: resourcePath(PODS, namespace, pod, 'log'), query: { ...options } }),
    close: () => transport.close(),
  };
}

/** A client for the current context of a kubeconfig given as text, or for an access already read. */
export function kubeClient(access: string | ClusterAccess, userAgent: string): KubeClient {
  return clientOver(httpsTransport(typeof access === 'string' ? clusterAccess(access) : access, userAgent));
}
