import type { RawObject } from '@hephaisto/core/action/raw-object';
import { recordAt, textAt, valueAt } from '@hephaisto/core/action/raw-object';
import type { ObjectRef } from '@hephaisto/core/facts/facts';
import type { KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import { readObject } from './workload-facts.ts';

/** The part of an object that gates and requests read and that no controller rewrites by itself: everything but its status. */
export type TargetMark =
  | { readonly kind: 'read'; readonly content: Readonly<Record<string, unknown>> }
  /** The server did not answer, so nothing can be said of whether the target moved. */
  | { readonly kind: 'unanswered'; readonly message: string };

export interface MarkReader {
  read(target: ObjectRef, workload: ObjectRef): Promise<TargetMark>;
}

/** Reads marks with one GET an object and no list. Namespaces that several targets share are read once, so a reader serves one pass only. */
export function createMarkReader(reader: KubeReader): MarkReader {
  const namespaces = new Map<string, ReturnType<KubeReader['namespaceLabels']>>();

  function labelsOf(namespace: string): ReturnType<KubeReader['namespaceLabels']> {
    const known = namespaces.get(namespace) ?? reader.namespaceLabels(namespace);
    namespaces.set(namespace, known);
    return known;
  }

  return {
    async read(target, workload) {
      const own = target.kind === workload.kind && target.name === workload.name;
      const [labels, object, controller] = await Promise.all([
        labelsOf(target.namespace),
        readObject(reader, target),
        own ? undefined : readObject(reader, workload),
      ]);
      const parts = { namespace: part(labels, (found) => found), target: part(object, markOf) };
      const content = controller === undefined ? parts : { ...parts, workload: part(controller, markOf) };
      const unanswered = [labels, object, controller].find((read) => read?.kind === 'failure' && !isAnswer(read));
      return unanswered?.kind === 'failure'
        ? { kind: 'unanswered', message: unanswered.message }
        : { kind: 'read', content };
    },
  };
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
