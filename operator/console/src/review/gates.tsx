import type { Gate } from '@hephaisto/core/report/action';
import { factsLine } from '../parts/facts.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { inertText, plainName } from '../parts/inert-text.ts';

const LOOKS: Readonly<Record<string, { readonly word: string; readonly icon: IconName; readonly tone: string }>> = {
  ask: { word: 'ASK', icon: 'hand', tone: 'ask' },
  deny: { word: 'DENY', icon: 'cross', tone: 'bad' },
  pass: { word: 'PASS', icon: 'check', tone: 'good' },
  exempt: { word: 'N/A', icon: 'slash', tone: 'calm' },
};

/** Every question that policy asked, with what was measured. Those that hold it come first and are always in sight. */
export function Gates({ gates }: { readonly gates: readonly Gate[] }) {
  const holding = gates.filter((gate) => gate.verdict === 'ask' || gate.verdict === 'deny');
  const passed = gates.filter((gate) => gate.verdict === 'pass');
  const rest = gates.filter((gate) => !holding.includes(gate) && !passed.includes(gate));
  return (
    <div className="gates" data-field="gates">
      <GateList gates={holding} />
      <details className="more">
        <summary>
          {passed.length} passed{rest.length === 0 ? '' : `, ${rest.length} not asked of this kind`}
        </summary>
        <GateList gates={[...passed, ...rest]} />
      </details>
    </div>
  );
}

function GateList({ gates }: { readonly gates: readonly Gate[] }) {
  return (
    <ul>
      {gates.map((gate) => {
        const look = LOOKS[gate.verdict] ?? { word: gate.verdict, icon: 'question' as const, tone: 'calm' };
        const measured = factsLine(gate.measured);
        return (
          <li key={gate.gate} data-state={gate.verdict}>
            <span className="tag" data-tone={look.tone}>
              <Icon name={look.icon} size={12} />
              {look.word}
            </span>
            <span className="wrap-any">
              <b>{plainName(gate.gate)}</b> <span className="soft">{inertText(gate.message)}</span>
              {measured === '' ? null : <span className="faint"> ({measured})</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
