import type { OwnerFact } from '@hephaisto/core/facts/facts';
import { projectMeta } from '@hephaisto/core/facts/project-meta';
import { asRecord, type Raw } from '@hephaisto/core/facts/raw';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { KubeConnection } from './connection.ts';
import { resourcePath } from './resource-path.ts';

export type PodOwnerAnswer =
  | {
      readonly kind: 'found';
      readonly owner: {
        readonly owner: { readonly kind: string; readonly name: string };
        readonly chain: readonly string[];
      };
    }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown'; readonly message: string };

/** Controllers that have controllers of their own. */
const MIDDLE: Readonly<Record<string, { readonly apiVersion: string; readonly resource: string }>> = {
  ReplicaSet: { apiVersion: 'apps/v1', resource: 'replicasets' },
  Job: { apiVersion: 'batch/v1', resource: 'jobs' },
};

/** Answers kept; an owner never changes while its pod lives. */
const REMEMBERED = 5_000;

/** Looks up who controls a pod. After a failure that concerns every question it answers `unknown` for a while without asking. */
export function createOwnerLookup(options: {
  readonly connection: KubeConnection;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  /** How long it does not ask after the API server could not be reached. */
  readonly restMs: number;
}) {
  const known = new Map<string, PodOwnerAnswer>();
  let restsUntilMs = 0;

  async function read(apiVersion: string, resource: string, namespace: string, name: string): Promise<KubeRead<Raw>> {
    const answer = await options.connection.request({
      method: 'GET',
      path: resourcePath(apiVersion, resource, namespace, name),
      timeoutMs: options.timeoutMs,
    });
    if (answer.kind === 'failure') return answer;
    try {
      return { kind: 'ok', value: asRecord(JSON.parse(answer.value.text)) };
    } catch {
      return { kind: 'failure', reason: 'malformed', message: 'expected an object in JSON, found something else' };
    }
  }

  async function ask(namespace: string, podName: string): Promise<PodOwnerAnswer> {
    const pod = await read('v1', 'pods', namespace, podName);
    if (pod.kind === 'failure') return failed(pod);
    const chain = [`Pod/${podName}`];
    let owner = { kind: 'Pod', name: podName };
    let controller = controllerOf(pod.value);
    while (controller !== undefined) {
      owner = { kind: controller.kind, name: controller.name };
      chain.push(`${owner.kind}/${owner.name}`);
      const middle = MIDDLE[controller.kind];
      if (middle === undefined) break;
      const above = await read(middle.apiVersion, middle.resource, namespace, controller.name);
      // Half a chain would file the fault under the middle; better none, so that the name decides.
      if (above.kind === 'failure') return above.reason === 'not-found' ? unknown(above) : failed(above);
      controller = controllerOf(above.value);
    }
    return { kind: 'found', owner: { owner, chain } };
  }

  function failed(failure: KubeFailure): PodOwnerAnswer {
    if (failure.reason === 'not-found') return { kind: 'gone' };
    if (failure.reason !== 'forbidden') restsUntilMs = options.nowMs() + options.restMs;
    return unknown(failure);
  }

  return {
    async ofPod(namespace: string, podName: string): Promise<PodOwnerAnswer> {
      const key = `${namespace}/${podName}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      if (options.nowMs() < restsUntilMs)
        return { kind: 'unknown', message: 'the API server could not be asked a moment ago' };
      const answer = await ask(namespace, podName);
      if (answer.kind === 'found') {
        known.set(key, answer);
        if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? '');
      }
      return answer;
    },
  };
}

function unknown(failure: KubeFailure): PodOwnerAnswer {
  return { kind: 'unknown', message: failure.message };
}

function controllerOf(object: Raw): OwnerFact | undefined {
  return projectMeta(object).owners.find((owner) => owner.controller);
}
