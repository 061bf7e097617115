import { isActionType } from '@hephaisto/core/action/catalogue';
import type { RawObject } from '@hephaisto/core/action/raw-object';
import { recordAt, textAt, valueAt } from '@hephaisto/core/action/raw-object';
import type { ObjectRef } from '@hephaisto/core/facts/facts';
import type { KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import { readGitOpsOwners } from './gitops-owners.ts';
import { readObject } from './workload-facts.ts';

/**
 * The part of an object that gates and requests read and that no controller rewrites by itself: everything but its status. With it goes whether
 * the tool that declares the object takes changes back: that is set on the tool's own object, so the target does not show it.
 */
export type TargetMark =
  | { readonly kind: 'read'; readonly content: Readonly<Record<string, unknown>> }
  /** The server did not answer, so nothing can be said of whether the target moved. */
  | { readonly kind: 'unanswered'; readonly message: string };

export interface MarkReader {
  read(type: string, target: ObjectRef, workload: ObjectRef): Promise<TargetMark>;
}

/** Reads marks with one GET an object, a few more where a delivery tool owns it, and no list. Namespaces that several targets share are read once, so a reader serves one pass only. */
export function createMarkReader(reader: KubeReader): MarkReader {
  const namespaces = new Map<string, ReturnType<KubeReader['namespaceLabels']>>();

  function labelsOf(namespace: string): ReturnType<KubeReader['namespaceLabels']> {
    const known = namespaces.get(namespace) ?? reader.namespaceLabels(namespace);
    namespaces.set(namespace, known);
    return known;
  }

  return {
    async read(type, target, workload) {
      const own = target.kind === workload.kind && target.name === workload.name;
      const [labels, object, controller] = await Promise.all([
        labelsOf(target.namespace),
        readObject(reader, target),
        own ? undefined : readObject(reader, workload),
      ]);
      const parts = { namespace: part(labels, (found) => found), target: part(object, markOf) };
      const unanswered = [labels, object, controller].find((read) => read?.kind === 'failure' && !isAnswer(read));
      if (unanswered?.kind === 'failure') return { kind: 'unanswered', message: unanswered.message };
      const objects = [object, controller].flatMap((read) => (read?.kind === 'ok' ? [read.value] : []));
      const content = { ...parts, selfHeal: await selfHealOf(reader, type, objects) };
      return {
        kind: 'read',
        content: controller === undefined ? content : { ...content, workload: part(controller, markOf) },
      };
    },
  };
}

/** An owner that does not answer is unknown: the gates judge it, and nothing else waits for it. */
async function selfHealOf(reader: KubeReader, type: string, objects: readonly RawObject[]): Promise<unknown> {
  if (!isActionType(type)) return [];
  const owners = await readGitOpsOwners(reader, { type }, objects);
  return owners.map(({ tool, name, selfHeal }) => ({ tool, name: name ?? null, selfHeal }));
}

/** A refusal is an answer, and so is an object that does not exist; a silence is none. */
function isAnswer(read: KubeRead<unknown> & { readonly kind: 'failure' }): boolean {
  return read.reason === 'not-found' || read.reason === 'forbidden' || read.reason === 'invalid';
}

function part<T>(read: KubeRead<T>, mark: (value: T) => unknown): unknown {
  return read.kind === 'ok' ? mark(read.value) : { failure: read.reason };
}

function markOf(object: RawObject): unknown {
  return {
    uid: textAt(object, '/metadata/uid'),
    labels: recordAt(object, '/metadata/labels'),
    annotations: recordAt(object, '/metadata/annotations'),
    owners: valueAt(object, '/metadata/ownerReferences'),
    spec: recordAt(object, '/spec'),
  };
}
