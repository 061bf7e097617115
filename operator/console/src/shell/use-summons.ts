import type { IncidentSummary } from '@hephaisto/core/report/incident';
import type { Session } from '@hephaisto/core/report/installation';
import { useEffect, useRef, useState } from 'react';
import { rightTo } from '../api/rights.ts';
import { type Settings, useSettings } from './settings.ts';

/** Open proposals that this person may decide. */
function mine(rows: readonly IncidentSummary[], session: Session | null | undefined): readonly string[] {
  return rows
    .filter((row) => row.state === 'AwaitingApproval' && rightTo(session, 'approver', row.namespace).kind === 'may')
    .map((row) => row.id);
}

/**
 * What to say at once to whoever reads by ear when a new proposal needs this very person; empty otherwise. What already waited when the page
 * was opened is no news. A tone joins it where the reader asked for one.
 */
export function useSummons(rows: readonly IncidentSummary[] | undefined, session: Session | null | undefined): string {
  const { sound } = useSettings();
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const [word, setWord] = useState('');
  useEffect(() => {
    if (rows === undefined || session === null || session === undefined) return;
    const ids = mine(rows, session);
    const before = known.current;
    known.current = new Set(ids);
    if (before === undefined) return;
    const news = ids.filter((id) => !before.has(id)).length;
    setWord(news === 0 ? '' : news === 1 ? 'A new proposal needs you' : `${news} new proposals need you`);
    if (news > 0) ring(sound);
  }, [rows, session, sound]);
  return word;
}

const TONE_HZ = 660;
const TONE_S = 0.35;

function ring(sound: Settings['sound']): void {
  if (sound === 'off' || !('AudioContext' in globalThis)) return;
  const audio = new AudioContext();
  const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = TONE_HZ;
  loudness.gain.setValueAtTime(0.15, audio.currentTime);
  loudness.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + TONE_S);
  tone.connect(loudness).connect(audio.destination);
  tone.onended = () => void audio.close();
  tone.start();
  tone.stop(audio.currentTime + TONE_S);
}
