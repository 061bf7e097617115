import type { Holds, Symptom } from './symptom.ts';

/** What came of looking at an object. */
export type Tracked =
  | { readonly kind: 'fired' | 'repeated'; readonly uid: string; readonly episode: Episode }
  | {
      readonly kind: 'healed';
      readonly uid: string;
      readonly episode: Episode;
      readonly why: 'recovered' | 'object-gone';
    }
  /** Passed before it counted. */
  | { readonly kind: 'brief'; readonly uid: string; readonly symptom: Symptom; readonly lastedMs: number };

/** One time that a symptom held on an object, from its first sight until it was gone. */
export interface Episode {
  readonly symptomKey: string;
  readonly externalKey: string;
  readonly startsAt: Date;
  /** Absent for an episode that an earlier process began, until it is seen again. */
  readonly symptom: Symptom | undefined;
}

interface Entry {
  symptom: Symptom | undefined;
  readonly symptomKey: string;
  readonly externalKey: string;
  readonly startMs: number;
  firing: boolean;
  goneMs: number | undefined;
  toldMs: number;
}

export interface TrackerTimes {
  readonly holds: Holds;
  /** How long a symptom must be away to count as healed: a crashing container runs for a moment between two crashes. */
  readonly healMs: number;
  /** How often a symptom that goes on is told again when it has changed, and when it has not. */
  readonly repeatChangedMs: number;
  readonly repeatMs: number;
}

/**
 * Follows symptoms over time. Times are milliseconds of one clock that the caller chooses; nothing happens by itself, so the caller asks
 * `due` when `nextDueMs` has come.
 */
export interface Tracker {
  /** All symptoms that the object has now. */
  observe(uid: string, symptoms: readonly Symptom[], nowMs: number): readonly Tracked[];
  /** The object is gone, and whatever was wrong with it too. */
  forget(uid: string, nowMs: number): readonly Tracked[];
  /** Objects that cannot be seen now are left out: that nothing was heard of them is no evidence, neither of a fault nor of healing. */
  due(nowMs: number, isUnseen?: (uid: string) => boolean): readonly Tracked[];
  nextDueMs(isUnseen?: (uid: string) => boolean): number | undefined;
  /** Takes over an episode that an earlier process told of and did not end. */
  adopt(uid: string, episode: { symptomKey: string; externalKey: string; startsAt: Date }, nowMs: number): void;
  /** Objects with episodes that were adopted and not looked at since. */
  unseen(): readonly string[];
  /** Whether anything is wrong or about to count on the object. */
  hasSymptom(uid: string): boolean;
  /** Keys of the symptoms that fire on the object, those included that are away and not yet healed. */
  firing(uid: string): readonly string[];
}

export function createTracker(times: TrackerTimes): Tracker {
  const objects = new Map<string, Map<string, Entry>>();
  const unseen = new Set<string>();
  /** When the latest healed episode of each symptom of an object was gone. */
  const healed = new Map<string, Map<string, number>>();

  function entriesOf(uid: string): Map<string, Entry> {
    const found = objects.get(uid);
    if (found !== undefined) return found;
    const made = new Map<string, Entry>();
    objects.set(uid, made);
    return made;
  }

  function see(uid: string, entries: Map<string, Entry>, symptom: Symptom, nowMs: number): Tracked | undefined {
    const entry = entries.get(symptom.key) ?? begin(uid, symptom, nowMs);
    entries.set(symptom.key, entry);
    const changed = entry.symptom?.message !== symptom.message;
    entry.symptom = symptom;
    entry.goneMs = symptom.lastAt?.getTime();
    if (!entry.firing) {
      if (nowMs < countsAt(entry)) return undefined;
      entry.firing = true;
      entry.toldMs = nowMs;
      return { kind: 'fired', uid, episode: episodeOf(entry) };
    }
    if (nowMs - entry.toldMs < (changed ? times.repeatChangedMs : times.repeatMs)) return undefined;
    entry.toldMs = nowMs;
    return { kind: 'repeated', uid, episode: episodeOf(entry) };
  }

  function begin(uid: string, symptom: Symptom, nowMs: number): Entry {
    // An object's word may come from another clock: never later than now, so that a clock ahead of ours cannot delay a fault for ever.
    const sinceMs = Math.min(nowMs, symptom.since?.getTime() ?? nowMs);
    // An object's word may be older than an end that was reported; the new episode would bear the name of the ended one and never fire.
    const startMs = Math.max(sinceMs, healed.get(uid)?.get(symptom.key) ?? sinceMs);
    const externalKey = `${uid}/${symptom.key}/${startMs.toString(36)}`;
    return { symptom, symptomKey: symptom.key, externalKey, startMs, firing: false, goneMs: undefined, toldMs: nowMs };
  }

  function countsAt(entry: Entry): number {
    const hold = entry.symptom?.hold;
    return (entry.symptom?.holdFrom?.getTime() ?? entry.startMs) + (hold === undefined ? 0 : times.holds[hold]);
  }

  function miss(uid: string, entries: Map<string, Entry>, entry: Entry, nowMs: number): Tracked | undefined {
    if (!entry.firing) {
      entries.delete(entry.symptomKey);
      return brief(uid, entry, nowMs);
    }
    entry.goneMs ??= nowMs;
    if (nowMs - entry.goneMs < healMsOf(entry)) return undefined;
    entries.delete(entry.symptomKey);
    const ends = healed.get(uid) ?? new Map<string, number>();
    healed.set(uid, ends.set(entry.symptomKey, Math.max(entry.goneMs, entry.startMs + 1)));
    return { kind: 'healed', uid, episode: episodeOf(entry), why: 'recovered' };
  }

  function healMsOf(entry: Entry): number {
    return Math.max(times.healMs, entry.symptom?.healMs ?? 0);
  }

  function brief(uid: string, entry: Entry, nowMs: number): Tracked | undefined {
    const note = entry.symptom?.ifBrief;
    const hold = entry.symptom?.hold;
    if (entry.symptom === undefined || note === undefined) return undefined;
    const lastedMs = nowMs - entry.startMs;
    if (lastedMs < note.afterShareOfHold * (hold === undefined ? 0 : times.holds[hold])) return undefined;
    return { kind: 'brief', uid, symptom: entry.symptom, lastedMs };
  }

  return {
    observe(uid, symptoms, nowMs) {
      unseen.delete(uid);
      if (symptoms.length === 0 && !objects.has(uid)) return [];
      const entries = entriesOf(uid);
      const told: Tracked[] = [];
      const present = new Set(symptoms.map((symptom) => symptom.key));
      for (const entry of [...entries.values()]) {
        if (!present.has(entry.symptomKey)) push(told, miss(uid, entries, entry, nowMs));
      }
      for (const symptom of symptoms) push(told, see(uid, entries, symptom, nowMs));
      if (entries.size === 0) objects.delete(uid);
      return told;
    },

    forget(uid, nowMs) {
      unseen.delete(uid);
      healed.delete(uid);
      const entries = objects.get(uid);
      objects.delete(uid);
      const told: Tracked[] = [];
      for (const entry of entries?.values() ?? []) {
        if (entry.firing) told.push({ kind: 'healed', uid, episode: episodeOf(entry), why: 'object-gone' });
        else push(told, brief(uid, entry, nowMs));
      }
      return told;
    },

    due(nowMs, isUnseen = () => false) {
      const told: Tracked[] = [];
      for (const [uid, entries] of [...objects]) {
        if (isUnseen(uid)) continue;
        for (const entry of [...entries.values()]) {
          if (entry.goneMs !== undefined) push(told, miss(uid, entries, entry, nowMs));
          else if (entry.symptom !== undefined) push(told, see(uid, entries, entry.symptom, nowMs));
        }
        if (entries.size === 0) objects.delete(uid);
      }
      return told;
    },

    nextDueMs(isUnseen = () => false) {
      let next: number | undefined;
      for (const [uid, entries] of objects) {
        if (isUnseen(uid)) continue;
        for (const entry of entries.values()) {
          const at = dueAt(entry);
          if (at !== undefined && (next === undefined || at < next)) next = at;
        }
      }
      return next;
    },

    adopt(uid, episode, nowMs) {
      unseen.add(uid);
      entriesOf(uid).set(episode.symptomKey, {
        symptom: undefined,
        symptomKey: episode.symptomKey,
        externalKey: episode.externalKey,
        startMs: episode.startsAt.getTime(),
        firing: true,
        goneMs: undefined,
        toldMs: nowMs,
      });
    },

    unseen: () => [...unseen],
    hasSymptom: (uid) => objects.has(uid),
    firing: (uid) =>
      [...(objects.get(uid)?.values() ?? [])].filter((entry) => entry.firing).map((entry) => entry.symptomKey),
  };

  function dueAt(entry: Entry): number | undefined {
    if (entry.goneMs !== undefined) return entry.goneMs + healMsOf(entry);
    if (entry.symptom === undefined) return undefined;
    return entry.firing ? entry.toldMs + times.repeatMs : countsAt(entry);
  }
}

function episodeOf(entry: Entry): Episode {
  return {
    symptomKey: entry.symptomKey,
    externalKey: entry.externalKey,
    startsAt: new Date(entry.startMs),
    symptom: entry.symptom,
  };
}

function push(told: Tracked[], one: Tracked | undefined): void {
  if (one !== undefined) told.push(one);
}
