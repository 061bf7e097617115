import type { Pod } from '../kube-client/pod.ts';

/** Numbers the pods of each owner in the order they came; a number is never given twice, so a replacement is never the first. */
export class Ordinals {
  readonly #next = new Map<string, number>();
  readonly #given = new Map<string, number>();

  of(pod: Pod): number {
    const uid = pod.metadata.uid ?? '';
    const known = this.#given.get(uid);
    if (known !== undefined) return known;
    const owner = pod.metadata.ownerReferences?.find((each) => each.controller === true)?.uid ?? uid;
    const ordinal = this.#next.get(owner) ?? 0;
    this.#next.set(owner, ordinal + 1);
    this.#given.set(uid, ordinal);
    return ordinal;
  }

  podGone(uid: string): void {
    this.#given.delete(uid);
  }
}
