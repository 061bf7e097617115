import type { Pod } from '../kube-client/pod.ts';

/** Files that containers leave in volumes. An emptyDir lives as long as its pod; an nfs export outlives every pod. */
export class Volumes {
  readonly #perPod = new Map<string, Set<string>>();
  readonly #exported = new Set<string>();

  #exportKey(pod: Pod, volume: string, marker: string): string | undefined {
    const nfs = pod.spec.volumes?.find((each) => each.name === volume)?.nfs;
    return nfs === undefined ? undefined : `${nfs.server}:${nfs.path}/${marker}`;
  }

  leave(pod: Pod, volume: string, marker: string): void {
    const exported = this.#exportKey(pod, volume, marker);
    if (exported !== undefined) {
      this.#exported.add(exported);
      return;
    }
    const uid = pod.metadata.uid ?? '';
    const own = this.#perPod.get(uid) ?? new Set();
    own.add(`${volume}/${marker}`);
    this.#perPod.set(uid, own);
  }

  /** Markers that this pod's containers find, as `volume/marker`. */
  markers(pod: Pod): ReadonlySet<string> {
    const found = new Set(this.#perPod.get(pod.metadata.uid ?? ''));
    for (const { name, nfs } of pod.spec.volumes ?? []) {
      if (nfs === undefined) continue;
      const prefix = `${nfs.server}:${nfs.path}/`;
      for (const key of this.#exported) if (key.startsWith(prefix)) found.add(`${name}/${key.slice(prefix.length)}`);
    }
    return found;
  }

  podGone(uid: string): void {
    this.#perPod.delete(uid);
  }
}
