import type { ObjectStore } from './store.ts';

const EVENTS = { group: '', version: 'v1', resource: 'events' };
const KEPT_MILLISECONDS = 3_600_000;
const SWEEP_EVERY = 50;

/** Events go an hour after they were made, as on any cluster. Looked at only when new ones come, so that rest costs nothing. */
export function keepEventsBounded(store: ObjectStore, now: () => Date): () => void {
  let made = 0;
  return store.subscribe(EVENTS, ({ type }) => {
    made += type === 'ADDED' ? 1 : 0;
    if (type !== 'ADDED' || made % SWEEP_EVERY !== 0) return;
    const oldest = now().getTime() - KEPT_MILLISECONDS;
    for (const { metadata } of store.list(EVENTS)) {
      if (Date.parse(metadata.creationTimestamp ?? '') >= oldest) continue;
      store.remove(EVENTS, metadata.namespace ?? '', metadata.name, { force: true });
    }
  });
}
