import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { codeOf, sayError } from '../api/call.ts';
import { peopleQuery } from '../api/reads.ts';
import { assignIncident, commandIncident, reviseProposal } from '../api/writes.ts';
import { Sheet } from '../parts/sheet.tsx';
import { say } from '../parts/toasts.tsx';

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
  const words = WORDS[command];
  const client = useQueryClient();
  const [text, setText] = useState(command === 'assign' ? (report.assignedTo?.subject ?? '') : '');
  const [state, setState] = useState<{
    readonly busy: boolean;
    readonly problem?: string;
    readonly unchanged?: boolean;
  }>({ busy: false });
  const ready = !state.busy && (command === 'assign' || text.trim() !== '');
  const send = async (): Promise<void> => {
    if (!ready) return;
    setState({ busy: true, unchanged: state.unchanged === true });
    try {
      await carryOut(command, report, text.trim(), state.unchanged === true);
      say(words.done);
      onClose();
    } catch (error: unknown) {
      // Refused once because nothing changed, the next press looks all the same.
      setState({ busy: false, problem: sayError(error), unchanged: codeOf(error) === 'nothing-changed' });
    }
    await client.invalidateQueries({ queryKey: ['incident'] });
  };
  return (
    <Sheet
      title={words.title}
      narrow
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.ctrlKey) void send();
      }}
      footer={
        <>
          <button type="button" className="button" data-kind="quiet" onClick={onClose}>
            Cancel
          </button>
          <span className="push" />
          <button type="button" className="button" data-kind="main" disabled={!ready} onClick={() => void send()}>
            {state.unchanged === true ? 'Look anyway' : words.button}
          </button>
        </>
      }
    >
      <p className="soft">{words.what}</p>
      <div className="field">
        <label htmlFor="command-text">{words.field}</label>
        {command === 'assign' ? (
          <People value={text} onChange={setText} />
        ) : (
          <textarea
            id="command-text"
            className="input"
            value={text}
            maxLength={2000}
            data-first
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </div>
      {state.problem === undefined ? null : (
        <p className="note" data-tone="bad" role="alert">
          {state.problem}.
        </p>
      )}
    </Sheet>
  );
}

async function carryOut(command: SheetCommand, report: IncidentReport, text: string, anyway: boolean): Promise<void> {
  if (command === 'assign') await assignIncident(report.id, text === '' ? null : text, report.version);
  else if (command === 'note') await commandIncident(report.id, 'note', { text });
  else if (command === 'reinvestigate')
    await commandIncident(report.id, command, { reason: text, ...(anyway ? { anyway } : {}) });
  else if (command !== 'revise') await commandIncident(report.id, command, { reason: text });
  else if (report.currentProposal !== null) await reviseProposal(report.currentProposal.id, text);
}

function People({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const people = useQuery(peopleQuery).data?.items ?? [];
  return (
    <select
      data-first
      id="command-text"
      className="input"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">nobody</option>
      {people.map((person) => (
        <option key={person.subject} value={person.subject}>
          {person.name}
        </option>
      ))}
    </select>
  );
}
