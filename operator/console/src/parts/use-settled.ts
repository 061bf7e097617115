import { useEffect, useRef, useState } from 'react';
import { useCommand } from '../keys/use-keys.ts';
import { NO_ROWS, type SettledRows, settle, takeWaiting } from '../live/settled-rows.ts';

interface Row {
  readonly id: string;
}

export interface Settled<T> {
  /** Rows in the order of the screen; those that left keep their last reading. */
  readonly rows: readonly { readonly row: T; readonly gone: boolean }[];
  readonly waiting: number;
  readonly take: () => void;
}

/** Rows that never move under the reader: contents change in place, new rows wait until they are asked for. */
export function useSettled<T extends Row>(present: readonly T[]): Settled<T> {
  const ids = present.map((row) => row.id);
  const [held, setHeld] = useState<SettledRows>(NO_ROWS);
  const seen = useRef(new Map<string, T>());
  for (const row of present) seen.current.set(row.id, row);
  const rows = settle(held, ids);
  if (rows !== held) setHeld(rows);
  const take = (): void => setHeld(takeWaiting(ids));
  const newest = useRef(take);
  newest.current = take;
  useEffect(() => {
    // Nobody reads a page that is not in sight; whoever comes back sees all of it.
    const leave = (): void => {
      if (document.visibilityState === 'hidden') newest.current();
    };
    document.addEventListener('visibilitychange', leave);
    return () => document.removeEventListener('visibilitychange', leave);
  }, []);
  const here = new Set(ids);
  return {
    rows: rows.shown.flatMap((id) => {
      const row = seen.current.get(id);
      return row === undefined ? [] : [{ row, gone: !here.has(id) }];
    }),
    waiting: rows.waiting.length,
    take,
  };
}

/** The key that takes all waiting rows in. */
export function useTakeKey(take: () => void): void {
  useCommand('take', take);
}

/** The keys that go from row to row of a list, by what the page marks as rows. */
export function useRowKeys(): void {
  useCommand('next', () => step(1));
  useCommand('previous', () => step(-1));
}

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
