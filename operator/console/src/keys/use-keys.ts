import { useEffect, useRef } from 'react';
import { useSettings } from '../shell/settings.ts';
import { judgePress, type KeyCommand } from './keymap.ts';

type Handler = () => void;
/** Handlers by command, the newest first: what lies on top answers. */
const handlers = new Map<KeyCommand, Handler[]>();
const PAIR_MS = 1_200;
let first: { readonly key: string; readonly at: number } | undefined;
let listening = 0;
let singleKeys = true;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.metaKey) return;
  // A sheet that is open has its own keys; behind it nothing may move.
  if (document.querySelector('dialog[open]') !== null) return;
  const typing = isTyping(event.target);
  if (typing && event.key === 'Escape') (event.target as HTMLElement).blur();
  if (!event.ctrlKey && (typing || !singleKeys)) return;
  if (event.key === 'Enter' || event.key === ' ') return;
  const begun = first !== undefined && event.timeStamp - first.at < PAIR_MS ? first.key : undefined;
  const verdict = judgePress({ key: event.key, ctrl: event.ctrlKey, alt: event.altKey }, begun);
  first = verdict.kind === 'began' ? { key: verdict.first, at: event.timeStamp } : undefined;
  if (verdict.kind !== 'run') return;
  const handler = handlers.get(verdict.command)?.[0];
  if (handler === undefined) return;
  event.preventDefault();
  handler();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

/** Runs `handler` when the keys of `command` are pressed, while the component is there. */
export function useCommand(command: KeyCommand, handler: Handler): void {
  const newest = useRef(handler);
  newest.current = handler;
  const { keys } = useSettings();
  singleKeys = keys === 'on';
  useEffect(() => {
    const run: Handler = () => newest.current();
    handlers.set(command, [run, ...(handlers.get(command) ?? [])]);
    if (listening === 0) addEventListener('keydown', onKeyDown);
    listening += 1;
    return () => {
      handlers.set(
        command,
        (handlers.get(command) ?? []).filter((other) => other !== run),
      );
      listening -= 1;
      if (listening === 0) removeEventListener('keydown', onKeyDown);
    };
  }, [command]);
}
