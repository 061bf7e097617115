import type { IncidentSummary } from '@hephaisto/core/report/incident';
import type { Session } from '@hephaisto/core/report/installation';
import { useEffect, useRef, useState } from 'react';
import { useSettings } from './settings.ts';
import { summon } from './summons.ts';
import { ring } from './tone.ts';

/** The last summons, and which it is: the same words twice are two. */
export interface Called {
  readonly count: number;
  readonly word: string;
}

/**
 * What to say at once to whoever reads by ear when a new proposal needs this very person. It stays until the next one, since words that go
 * again may not have been spoken yet. A tone joins it where the reader asked for one.
 */
export function useSummons(rows: readonly IncidentSummary[] | undefined, session: Session | null | undefined): Called {
  const { sound } = useSettings();
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const [called, setCalled] = useState<Called>({ count: 0, word: '' });
  useEffect(() => {
    if (rows === undefined || session === null || session === undefined) return;
    const summons = summon(known.current, rows, session);
    known.current = summons.known;
    const { word } = summons;
    if (word === undefined) return;
    setCalled(({ count }) => ({ count: count + 1, word }));
    // A tone that fails is only a tone; the word is said.
    if (sound === 'on') ring().catch(() => {});
  }, [rows, session, sound]);
  return called;
}
