import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useQuery } from '@tanstack/react-query';
import { codeOf } from '../api/call.ts';
import { peopleQuery } from '../api/reads.ts';
import { assignIncident, commandIncident, reviseProposal } from '../api/writes.ts';
import { AskSheet } from '../parts/ask-sheet.tsx';

export type SheetCommand = 'note' | 'assign' | 'reinvestigate' | 'close' | 'revise';

interface Words {
  readonly title: string;
  readonly what: string;
  readonly field: string;
  readonly button: string;
  readonly done: string;
}

const WORDS: Readonly<Record<SheetCommand, Words>> = {
  note: {
    title: 'Note on the timeline',
    what: 'Seen by everybody who opens the incident; it stays.',
    field: 'Note',
    button: 'Add note',
    done: 'Noted',
  },
  assign: {
    title: 'Give it to somebody',
    what: 'They are named in the lists and in messages.',
    field: 'Person',
    button: 'Assign',
    done: 'Assigned',
  },
  reinvestigate: {
    title: 'Look again',
    what: 'Everything is read anew, and a new verdict and proposal are made from it.',
    field: 'What is new?',
    button: 'Look again',
    done: 'Looking again',
  },
  revise: {
    title: 'Propose again',
    what: 'The target is read anew, policy is asked anew, and a new revision is made for people to decide.',
    field: 'Why now?',
    button: 'Propose again',
    done: 'Proposed again',
  },
  close: {
    title: 'Close the incident',
    what: 'It counts as resolved by you. If it happens again, a new incident opens.',
    field: 'What resolved it?',
    button: 'Close incident',
    done: 'Closed',
  },
};

interface CommandSheetProps {
  readonly command: SheetCommand;
  readonly report: IncidentReport;
  readonly onClose: () => void;
}

export function CommandSheet({ command, report, onClose }: CommandSheetProps) {
  const { title, what, field, button, done } = WORDS[command];
  const assigning = command === 'assign';
  return (
    <AskSheet
      title={title}
      what={what}
      label={field}
      button={(refused) => (isUnchanged(refused) ? 'Look anyway' : button)}
      done={done}
      first={assigning ? (report.assignedTo?.subject ?? '') : ''}
      mayBeEmpty={assigning}
      {...(assigning ? { control: (id, value, onChange) => <People id={id} value={value} onChange={onChange} /> } : {})}
      send={(text, key, refused) => carryOut({ command, text, key, anyway: isUnchanged(refused) }, report)}
      onClose={onClose}
    />
  );
}

/** Refused once because nothing changed, the next press looks all the same. */
function isUnchanged(refused: unknown): boolean {
  return codeOf(refused) === 'nothing-changed';
}

interface Press {
  readonly command: SheetCommand;
  readonly text: string;
  readonly key: string;
  readonly anyway: boolean;
}

async function carryOut({ command, text, key, anyway }: Press, report: IncidentReport): Promise<void> {
  if (command === 'assign') await assignIncident(report.id, text === '' ? null : text, report.version, key);
  else if (command === 'note') await commandIncident(report.id, 'note', { text }, key);
  else if (command === 'reinvestigate')
    await commandIncident(report.id, command, { reason: text, ...(anyway ? { anyway } : {}) }, key);
  else if (command !== 'revise') await commandIncident(report.id, command, { reason: text }, key);
  else if (report.currentProposal !== null) await reviseProposal(report.currentProposal.id, text, key);
}

interface PeopleProps {
  readonly id: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function People({ id, value, onChange }: PeopleProps) {
  const people = useQuery(peopleQuery).data?.items ?? [];
  return (
    <select data-first id={id} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">nobody</option>
      {people.map((person) => (
        <option key={person.subject} value={person.subject}>
          {person.name}
        </option>
      ))}
    </select>
  );
}
