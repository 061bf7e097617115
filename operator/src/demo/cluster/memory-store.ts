import type { Ids } from '@hephaisto/core/ports/clock';
import { type Departure, departureOf, dependentsOf, withoutOwner } from './deletion.ts';
import { EventWindow } from './event-window.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { GroupVersionResource, KubeObject } from './object.ts';
import { metaForCreate, metaForStatus, metaForUpdate, sameContent } from './object-meta.ts';
import { type MemoryStore, type RemoveOptions, StoreError } from './store.ts';
import { NAMESPACES, typeKey } from './type-key.ts';

export interface MemoryStoreOptions {
  readonly now: () => Date;
  readonly ids: Pick<Ids, 'uuid'>;
  /** The uid of an object that is the same in every run; undefined for all others. */
  readonly fixedUid?: (gvr: GroupVersionResource, name: string) => string | undefined;
  /** How many events a late watch may still ask for. */
  readonly window?: number;
  /** Where the counter starts. Greater than any revision of an earlier run, watches from that run are told that they are too old. */
  readonly firstRevision?: number;
  /** What admission fills in before an object is stored. */
  readonly complete?: (gvr: GroupVersionResource, object: KubeObject) => KubeObject;
}

interface Shelf {
  readonly gvr: GroupVersionResource;
  readonly objects: Map<string, KubeObject>;
  sorted: readonly KubeObject[] | undefined;
}

const DEFAULT_WINDOW = 2048;
const NAME_ATTEMPTS = 8;

export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const shelves = new Map<string, Shelf>();
  let revision = options.firstRevision ?? 1;
  const events = new EventWindow(revision, options.window ?? DEFAULT_WINDOW);
  const complete = options.complete ?? ((_gvr, object) => object);

  function shelfOf(gvr: GroupVersionResource): Shelf {
    const key = typeKey(gvr);
    const shelf = shelves.get(key) ?? { gvr, objects: new Map(), sorted: undefined };
    shelves.set(key, shelf);
    return shelf;
  }

  function get(gvr: GroupVersionResource, namespace: string, name: string): KubeObject | undefined {
    return shelfOf(gvr).objects.get(objectKey(namespace, name));
  }

  function existing(gvr: GroupVersionResource, namespace: string, name: string): KubeObject {
    const object = get(gvr, namespace, name);
    if (!object) throw new StoreError('NotFound', `${typeKey(gvr)} "${name}" not found`);
    return object;
  }

  function list(gvr: GroupVersionResource, namespace?: string): readonly KubeObject[] {
    const shelf = shelfOf(gvr);
    shelf.sorted ??= [...shelf.objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return namespace === undefined
      ? shelf.sorted
      : shelf.sorted.filter((object) => object.metadata.namespace === namespace);
  }

  function plannedCreate(gvr: GroupVersionResource, object: KubeObject): KubeObject {
    for (let attempt = 1; ; attempt++) {
      const uid = options.fixedUid?.(gvr, object.metadata.name) ?? options.ids.uuid();
      const metadata = metaForCreate(gvr, object, uid, options.now());
      if (!get(gvr, metadata.namespace ?? '', metadata.name)) return frozenCopy(complete(gvr, { ...object, metadata }));
      if (object.metadata.name || attempt === NAME_ATTEMPTS) {
        throw new StoreError('AlreadyExists', `${typeKey(gvr)} "${metadata.name}" already exists`);
      }
    }
  }

  function plannedUpdate(gvr: GroupVersionResource, object: KubeObject, part: 'main' | 'status'): KubeObject {
    const stored = existing(gvr, object.metadata.namespace ?? '', object.metadata.name);
    checkUid(gvr, stored, object.metadata.uid);
    checkPreconditions(gvr, stored, object.metadata);
    if (part === 'status')
      return frozenCopy({ ...stored, metadata: metaForStatus(gvr, stored, object), status: object.status });
    const completed = complete(gvr, object);
    const metadata = metaForUpdate(gvr, stored, completed);
    return frozenCopy({ ...completed, metadata, status: stored.status });
  }

  function plannedRemove(gvr: GroupVersionResource, namespace: string, name: string, remove: RemoveOptions): Departure {
    const stored = existing(gvr, namespace, name);
    checkPreconditions(gvr, stored, remove);
    return departureOf(gvr, stored, remove, options.now());
  }

  /** The one place where something becomes stored. */
  function commit(gvr: GroupVersionResource, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): KubeObject {
    const shelf = shelfOf(gvr);
    const key = objectKey(object.metadata.namespace ?? '', object.metadata.name);
    const previous = shelf.objects.get(key);
    revision += 1;
    const written = frozenCopy({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
    if (type === 'DELETED') shelf.objects.delete(key);
    else shelf.objects.set(key, written);
    shelf.sorted = undefined;
    events.append(gvr, revision, { type, object: written, ...(type === 'MODIFIED' && previous ? { previous } : {}) });
    return written;
  }

  function update(gvr: GroupVersionResource, object: KubeObject, part: 'main' | 'status' = 'main'): KubeObject {
    const planned = plannedUpdate(gvr, object, part);
    const stored = existing(gvr, planned.metadata.namespace ?? '', planned.metadata.name);
    if (sameContent(stored, planned)) return stored;
    const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = planned.metadata;
    const released = deletionTimestamp !== undefined && !finalizers?.length && stored.metadata.finalizers?.length;
    return commit(gvr, released && !deletionGracePeriodSeconds ? 'DELETED' : 'MODIFIED', planned);
  }

  function remove(gvr: GroupVersionResource, namespace: string, name: string, how: RemoveOptions = {}): KubeObject {
    const departure = plannedRemove(gvr, namespace, name, how);
    const object = existing(gvr, namespace, name);
    if (departure.kind === 'leaving-already') return object;
    settleDependents(object, how);
    if (departure.kind === 'marked') return commit(gvr, 'MODIFIED', departure.object);
    const last = departure.last === undefined ? object : commit(gvr, 'MODIFIED', departure.last);
    commit(gvr, 'DELETED', last);
    if (typeKey(gvr) === typeKey(NAMESPACES)) emptyNamespace(name);
    return last;
  }

  function settleDependents(owner: KubeObject, how: RemoveOptions): void {
    if (how.propagation !== 'Foreground' && how.propagation !== 'Orphan') return;
    for (const { gvr } of [...shelves.values()]) {
      for (const dependent of dependentsOf(owner, list(gvr))) {
        const { namespace = '', name } = dependent.metadata;
        if (how.propagation === 'Orphan') update(gvr, withoutOwner(dependent, owner));
        else if (get(gvr, namespace, name)) remove(gvr, namespace, name, { propagation: 'Foreground' });
      }
    }
  }

  function emptyNamespace(namespace: string): void {
    for (const { gvr } of [...shelves.values()]) {
      for (const { metadata } of list(gvr, namespace)) {
        if (get(gvr, namespace, metadata.name)) remove(gvr, namespace, metadata.name, { force: true });
      }
    }
  }

  return {
    get,
    list,
    create: (gvr, object) => commit(gvr, 'ADDED', plannedCreate(gvr, object)),
    update,
    remove,
    subscribe: (gvr, onEvent) => events.subscribe(gvr, onEvent),
    revision: () => revision,
    since: (gvr, from) => events.since(gvr, from),
    compact: (upTo) => events.compact(upTo ?? revision),
    oldestRevision: () => events.oldest(),
    preview: {
      create: plannedCreate,
      update: (gvr, object, part = 'main') => plannedUpdate(gvr, object, part),
      remove(gvr, namespace, name, how = {}) {
        const departure = plannedRemove(gvr, namespace, name, how);
        if (departure.kind === 'marked') return departure.object;
        return (departure.kind === 'gone' ? departure.last : undefined) ?? existing(gvr, namespace, name);
      },
    },
  };
}

function objectKey(namespace: string, name: string): string {
  return `${namespace}\u0000${name}`;
}

/** Another uid in a written object is found out by the storage, which says so in its own words. */
function checkUid(gvr: GroupVersionResource, stored: KubeObject, uid: string | undefined): void {
  const { name, namespace } = stored.metadata;
  if (!uid || uid === stored.metadata.uid) return;
  const key = ['/registry', REGISTRY[gvr.resource] ?? gvr.resource, namespace, name].filter(Boolean).join('/');
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored.metadata.uid}`;
  throw new StoreError(
    'Conflict',
    `Operation cannot be fulfilled on ${typeKey(gvr)} "${name}": StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

/** Where the storage keeps a type, if not under its own name. */
const REGISTRY: Readonly<Record<string, string>> = { nodes: 'minions', services: 'services/specs' };

function checkPreconditions(
  gvr: GroupVersionResource,
  stored: KubeObject,
  wanted: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  const { uid, resourceVersion, name } = stored.metadata;
  const failed = (why: string) =>
    new StoreError('Conflict', `Operation cannot be fulfilled on ${typeKey(gvr)} "${name}": ${why}`);
  if (wanted.uid && wanted.uid !== uid) {
    throw failed(
      `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (wanted.resourceVersion && wanted.resourceVersion !== resourceVersion) {
    throw failed('the object has been modified; please apply your changes to the latest version and try again');
  }
}
