import type { BenignNote, Symptom } from '@hephaisto/core/signal/symptom';
import type { Tracked, Tracker } from '@hephaisto/core/signal/tracker';
import type { Sighting } from '../../flow/signal-log/sighting.ts';
import {
  type About,
  benignKey,
  type ClusterScope,
  type Said,
  sightingOfEpisode,
  sightingOfNote,
} from './sighting-of.ts';

/** An open condition that an earlier process told of. */
export interface OpenCondition {
  readonly uid: string;
  readonly symptomKey: string;
  readonly externalKey: string;
  readonly startsAt: Date;
  readonly about: About;
  readonly said: Said;
}

/** Turns what the tracker says into sightings. */
export interface Ledger {
  observe(uid: string, about: () => About, symptoms: readonly Symptom[]): void;
  forget(uid: string): void;
  note(about: About, note: BenignNote, detail?: string, ours?: boolean): void;
  adopt(condition: OpenCondition): void;
  /** Ends what was taken over and whose object no longer exists, among objects that `isListed` says have all been listed. */
  endUnseen(isListed: (about: About) => boolean): void;
  /** Leaves out objects that cannot be seen now. */
  due(isUnseen?: (about: About) => boolean): void;
  nextDueMs(isUnseen?: (about: About) => boolean): number | undefined;
  hasSymptom(uid: string): boolean;
  /** Keys of the symptoms that fire on the object. */
  firing(uid: string): readonly string[];
}

export interface LedgerOptions {
  readonly scope: ClusterScope;
  readonly tracker: Tracker;
  readonly nowMs: () => number;
  /** The same note is not written more often than this. */
  readonly noteEveryMs: number;
  readonly onSighting: (sighting: Sighting) => void;
}

/** Notes whose time is remembered; beyond it the oldest are forgotten, which costs at most a write too many. */
const REMEMBERED_NOTES = 10_000;

export function createLedger(options: LedgerOptions): Ledger {
  const { scope, tracker, nowMs } = options;
  /** By object, for as long as something is wrong with it: it may be gone when that ends. */
  const places = new Map<string, About>();
  const said = new Map<string, Said>();
  const notedMs = new Map<string, number>();
  const add = options.onSighting;

  /** The owner stays what it was when the first symptom was told of, or its end would belong to another fault than its beginning. */
  function place(uid: string, about: About): void {
    const known = places.get(uid);
    places.set(uid, known === undefined ? about : { ...about, owner: known.owner, chain: known.chain });
  }

  function unseenUid(isUnseen: ((about: About) => boolean) | undefined): ((uid: string) => boolean) | undefined {
    if (isUnseen === undefined) return undefined;
    return (uid) => {
      const about = places.get(uid);
      return about !== undefined && isUnseen(about);
    };
  }

  function tell(tracked: readonly Tracked[]): void {
    for (const each of tracked) {
      const about = places.get(each.uid);
      if (about === undefined) continue;
      if (each.kind === 'brief') {
        const brief = each.symptom.ifBrief;
        if (brief !== undefined) note(about, { kind: each.symptom.kind, reason: brief.reason, message: brief.message });
        continue;
      }
      const { episode } = each;
      const words = episode.symptom ?? said.get(episode.externalKey);
      if (words === undefined) continue;
      const end = each.kind === 'healed' ? { at: new Date(nowMs()), why: each.why } : undefined;
      if (end !== undefined) said.delete(episode.externalKey);
      add(sightingOfEpisode(scope, about, episode, words, end));
    }
    for (const { uid } of tracked) if (!tracker.hasSymptom(uid)) places.delete(uid);
  }

  function note(about: About, what: BenignNote, detail = '', ours = false): void {
    const key = benignKey(about, what, detail);
    const now = nowMs();
    const last = notedMs.get(key);
    if (last !== undefined && now - last < options.noteEveryMs) return;
    notedMs.delete(key);
    notedMs.set(key, now);
    if (notedMs.size > REMEMBERED_NOTES) notedMs.delete(notedMs.keys().next().value ?? '');
    add(sightingOfNote(scope, about, what, key, new Date(now), ours));
  }

  return {
    observe(uid, about, symptoms) {
      if (symptoms.length > 0) place(uid, about());
      tell(tracker.observe(uid, symptoms, nowMs()));
    },
    forget(uid) {
      tell(tracker.forget(uid, nowMs()));
      places.delete(uid);
    },
    note,
    adopt(condition) {
      tracker.adopt(condition.uid, condition, nowMs());
      places.set(condition.uid, condition.about);
      said.set(condition.externalKey, condition.said);
    },
    endUnseen(isListed) {
      for (const uid of tracker.unseen()) {
        const about = places.get(uid);
        if (about === undefined || isListed(about)) tell(tracker.forget(uid, nowMs()));
      }
    },
    due: (isUnseen) => tell(tracker.due(nowMs(), unseenUid(isUnseen))),
    nextDueMs: (isUnseen) => tracker.nextDueMs(unseenUid(isUnseen)),
    hasSymptom: (uid) => tracker.hasSymptom(uid),
    firing: (uid) => tracker.firing(uid),
  };
}
