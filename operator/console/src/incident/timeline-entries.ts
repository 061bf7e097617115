import type { IncidentReport } from '@hephaisto/core/report/incident';
import { plainName } from '../parts/inert-text.ts';
import { INCIDENT_LOOKS, lookOf, type Tone } from '../parts/words.ts';
import { questionWord } from './progress.ts';

export const LANES = ['signals', 'changes', 'acts', 'states'] as const;
export type Lane = (typeof LANES)[number];

/** One thing on the timeline: the picture and the list show the same ones. */
export interface Entry {
  readonly key: string;
  readonly at: string;
  readonly lane: Lane;
  readonly tone: Tone;
  readonly text: string;
  readonly detail: string;
  readonly by: string | undefined;
}

/** An entry of the list: what was signalled again and again stands there once. */
export interface Gathered extends Entry {
  readonly times: number;
  readonly lastAt: string;
}

/**
 * The same signal seen again becomes one line where it was first seen, so that what people and checks did is not lost among repeats. The
 * picture keeps them all.
 */
export function gathered(entries: readonly Entry[]): readonly Gathered[] {
  const lines = new Map<string, Gathered>();
  for (const entry of entries) {
    const key = entry.lane === 'signals' ? `signal ${entry.tone} ${entry.text}` : entry.key;
    const known = lines.get(key);
    lines.set(
      key,
      known === undefined
        ? { ...entry, times: 1, lastAt: entry.at }
        : { ...known, times: known.times + 1, lastAt: entry.at },
    );
  }
  return [...lines.values()];
}

type Part = Pick<IncidentReport, 'signals' | 'changes' | 'actions' | 'events'>;

/** Everything that happened, oldest first. */
export function entriesOf(report: Part): readonly Entry[] {
  const entries = [
    ...report.signals.map(signalEntry),
    ...changeEntries(report.changes),
    ...report.actions.flatMap(actionEntries),
    ...report.events.map(eventEntry),
  ];
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.key.localeCompare(b.key));
}

function signalEntry(signal: Part['signals'][number]): Entry {
  const object = signal.podName ?? signal.ownerName ?? signal.nodeName;
  return {
    key: `signal ${signal.id}`,
    at: signal.receivedAt,
    lane: 'signals',
    tone: signal.severity === 'critical' ? 'bad' : 'warn',
    text: `${signal.reason}${object === null ? '' : ` on ${object}`}`,
    detail: `${signal.source}, ${signal.disposition}${signal.dispositionReason === null ? '' : ` (${signal.dispositionReason})`}${signal.occurrences > 1 ? `, ×${signal.occurrences}` : ''}`,
    by: undefined,
  };
}

/** Fields that changed together are one change. */
function changeEntries(changes: Part['changes']): readonly Entry[] {
  const groups = new Map<string, Part['changes'][number][]>();
  for (const change of changes) {
    if (change.at === null) continue;
    const key = `${change.at} ${change.what}`;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.entries()].flatMap(([key, group]) => {
    const [first] = group;
    if (first === undefined || first.at === null) return [];
    return {
      key: `change ${key}`,
      at: first.at,
      lane: 'changes' as const,
      tone: 'ask' as const,
      text: first.what,
      detail: group.map((change) => change.path).join(', '),
      by: undefined,
    };
  });
}

const PHASES: Readonly<Record<string, string>> = { dry_run: 'Dry run', execute: 'Change sent', rollback: 'Undo sent' };

function actionEntries(action: Part['actions'][number]): readonly Entry[] {
  const attempts = action.attempts.map(
    (attempt): Entry => ({
      key: `attempt ${attempt.id}`,
      at: attempt.startedAt,
      lane: 'acts',
      tone: attempt.phase === 'dry_run' ? 'calm' : 'run',
      text: `${PHASES[attempt.phase] ?? attempt.phase}: ${plainName(attempt.outcome)}`,
      detail: [attempt.httpStatus === null ? '' : `HTTP ${attempt.httpStatus}`, attempt.message ?? '']
        .filter((part) => part !== '')
        .join(', '),
      by: undefined,
    }),
  );
  const votes = action.proposals.flatMap((proposal) =>
    proposal.votes.map(
      (vote): Entry => ({
        key: `vote ${proposal.id} ${vote.by.subject}`,
        at: vote.at,
        lane: 'acts',
        tone: vote.decision === 'approve' ? 'good' : 'bad',
        text: vote.decision === 'approve' ? 'Approved' : 'Denied',
        detail: [`revision ${proposal.revision}`, vote.reason ?? ''].filter((part) => part !== '').join(', '),
        by: vote.by.name,
      }),
    ),
  );
  const checks = action.verifications.flatMap((check): Entry[] =>
    check.ranAt === null
      ? []
      : [
          {
            key: `check ${action.id} ${check.subject} ${check.attempt}`,
            at: check.ranAt,
            lane: 'acts',
            tone: check.result === 'Passed' ? 'good' : check.result === 'Failed' ? 'bad' : 'warn',
            text: `Checked (${questionWord(check.question)}): ${(check.result ?? 'no result').toLowerCase()}`,
            detail: check.predicates.map((predicate) => predicate.message).join('; '),
            by: undefined,
          },
        ],
  );
  return [...attempts, ...votes, ...checks];
}

const NOTES: Readonly<Record<string, string>> = {
  ack: 'Acknowledged',
  assign: 'Given to somebody',
  note: 'Note',
  feedback: 'Feedback',
  merge: 'Merged',
  requeue: 'Taken up again',
  rollback: 'Undo',
};

function eventEntry(event: Part['events'][number]): Entry {
  const moved = event.kind === 'transition' && event.to !== null;
  const look = moved ? lookOf(INCIDENT_LOOKS, event.to ?? '') : undefined;
  return {
    key: `event ${event.id}`,
    at: event.at,
    lane: 'states',
    tone: look?.tone ?? 'calm',
    text: look === undefined ? (NOTES[event.kind] ?? plainName(event.kind)) : look.word,
    detail: [event.reason === null ? '' : plainName(event.reason), saidIn(event.data)]
      .filter((part) => part !== '')
      .join(': '),
    by: event.actor.name,
  };
}

function saidIn(data: Readonly<Record<string, unknown>>): string {
  for (const key of ['message', 'text', 'reason', 'note']) {
    const value = data[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
