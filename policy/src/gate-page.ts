import { GATES } from './gate.ts';
import { type Cell, GATE_TABLE, SUBJECTS } from './table.ts';

const WORDS: Readonly<Record<Cell['weight'], string>> = { deny: 'deny', ask: 'ask', exempt: '–' };

/** The reference of gates: what each weighs for each kind of action, and why. */
export function gatePage(): string {
  const head = ['gate', ...SUBJECTS.map((subject) => subject)];
  const rows = GATES.map((gate) => {
    const { cells } = GATE_TABLE[gate];
    return [gate, ...SUBJECTS.map((subject) => WORDS[cells[subject].weight])];
  });
  return [
    '# Gates',
    '',
    'Every action passes every gate, in this order. A gate whose condition is violated forbids the action (deny), needs a person (ask), or is',
    'not asked of that kind (–). What a gate needs and cannot read counts as violated, except where it is not asked. `Inverse` is the stored',
    'undo of any kind.',
    '',
    table(head, rows),
    '',
    '## Why',
    '',
    ...GATES.flatMap((gate) => [`### ${gate}`, '', ...reasons(gate), '']),
  ].join('\n');
}

function reasons(gate: (typeof GATES)[number]): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const subject of SUBJECTS) {
    const { weight, reason } = GATE_TABLE[gate].cells[subject];
    const key = `${weight}: ${reason}`;
    byReason.set(key, [...(byReason.get(key) ?? []), subject]);
  }
  return [...byReason].map(
    ([reason, subjects]) => `- ${subjects.length === SUBJECTS.length ? 'all' : subjects.join(', ')} — ${reason}`,
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
