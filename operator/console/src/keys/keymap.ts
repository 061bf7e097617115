/** What a key asks for. None of them approves, denies or trips the switch: a sleeping elbow must not be able to. */
export const KEY_COMMANDS = {
  'go-inbox': { keys: 'g i', says: 'inbox', where: 'Go to' },
  'go-incidents': { keys: 'g l', says: 'all incidents', where: 'Go to' },
  'go-approvals': { keys: 'g a', says: 'approvals', where: 'Go to' },
  'go-actions': { keys: 'g c', says: 'actions', where: 'Go to' },
  'go-health': { keys: 'g h', says: 'health', where: 'Go to' },
  search: { keys: '/', says: 'search incidents', where: 'Anywhere' },
  palette: { keys: 'Ctrl+K', says: 'jump to an incident or page', where: 'Anywhere' },
  help: { keys: '?', says: 'this help', where: 'Anywhere' },
  back: { keys: 'Escape', says: 'back, or close what is open', where: 'Anywhere' },
  zone: { keys: 'u', says: 'times in your zone or UTC', where: 'Anywhere' },
  next: { keys: 'j', says: 'next row', where: 'Lists' },
  previous: { keys: 'k', says: 'row before', where: 'Lists' },
  take: { keys: 'r', says: 'take the new rows in', where: 'Lists' },
  evidence: { keys: 'e', says: 'evidence', where: 'Incident' },
  timeline: { keys: 't', says: 'timeline', where: 'Incident' },
  hypotheses: { keys: 'h', says: 'hypotheses', where: 'Incident' },
  review: { keys: 'v', says: 'open the review of the proposal', where: 'Incident' },
  acknowledge: { keys: 'a', says: 'say that you have seen it', where: 'Incident' },
  copy: { keys: '.', says: 'copy the command to do it yourself', where: 'Incident' },
} as const;
export type KeyCommand = keyof typeof KEY_COMMANDS;

/** The part of a keyboard event that a decision needs. */
export interface Press {
  readonly key: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
}

export type KeyVerdict =
  | { readonly kind: 'run'; readonly command: KeyCommand }
  /** The first key of two was pressed. */
  | { readonly kind: 'began'; readonly first: string }
  | { readonly kind: 'nothing' };

const NOTHING: KeyVerdict = { kind: 'nothing' };
const BY_KEYS = new Map<string, KeyCommand>(
  (Object.keys(KEY_COMMANDS) as KeyCommand[]).map((command) => [KEY_COMMANDS[command].keys, command]),
);
const FIRST_KEYS = new Set([...BY_KEYS.keys()].filter((keys) => keys.includes(' ')).map((keys) => keys.split(' ')[0]));

/** What a press means after `first`, the key that began a pair, where one did. */
export function judgePress(press: Press, first: string | undefined): KeyVerdict {
  if (press.alt) return NOTHING;
  const key = press.key.length === 1 && press.ctrl ? press.key.toUpperCase() : press.key;
  if (press.ctrl) return runOrNothing(`Ctrl+${key}`);
  if (first !== undefined) {
    const pair = runOrNothing(`${first} ${key}`);
    if (pair.kind === 'run') return pair;
  }
  if (FIRST_KEYS.has(key)) return { kind: 'began', first: key };
  return runOrNothing(key);
}

function runOrNothing(keys: string): KeyVerdict {
  const command = BY_KEYS.get(keys);
  return command === undefined ? NOTHING : { kind: 'run', command };
}
