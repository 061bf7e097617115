import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useState } from 'react';
import { CommandSheet, type SheetCommand } from './command-sheet.tsx';
import type { Acknowledge } from './use-acknowledge.ts';

interface CommandsProps {
  readonly report: IncidentReport;
  readonly acknowledge: Acknowledge;
}

/** What a responder does with an incident. Who may not sees the same buttons, disabled, with the reason. */
export function IncidentCommands({ report, acknowledge }: CommandsProps) {
  const [open, setOpen] = useState<SheetCommand | undefined>();
  const { right } = acknowledge;
  const why = right.kind === 'may-not' ? right.why : undefined;
  const off = why === undefined ? {} : { 'aria-disabled': true, title: why };
  const press = (command: SheetCommand) => () => (why === undefined ? setOpen(command) : undefined);
  return (
    <div className="commands">
      {report.acknowledgedBy === null && report.open ? (
        <button type="button" className="button" onClick={acknowledge.run} disabled={acknowledge.busy} {...off}>
          Ack <kbd>a</kbd>
        </button>
      ) : null}
      <button type="button" className="button" onClick={press('note')} {...off}>
        Note
      </button>
      {report.open ? (
        <>
          <button type="button" className="button" onClick={press('assign')} {...off}>
            Assign
          </button>
          {report.state === 'Escalated' ? (
            <button type="button" className="button" onClick={press('reinvestigate')} {...off}>
              Look again
            </button>
          ) : null}
          <button type="button" className="button" onClick={press('close')} {...off}>
            Close
          </button>
        </>
      ) : null}
      {open === undefined ? null : <CommandSheet command={open} report={report} onClose={() => setOpen(undefined)} />}
    </div>
  );
}
