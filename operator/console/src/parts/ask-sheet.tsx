import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { sayError } from '../api/call.ts';
import { Sheet } from './sheet.tsx';
import { say } from './toasts.tsx';

interface AskSheetProps {
  readonly title: string;
  /** What a press brings about, in a sentence. */
  readonly what: string;
  /** Name of the one thing that is asked for. */
  readonly label: string;
  /** What the button says, given what the last press was refused with. */
  readonly button: (refused: unknown) => string;
  readonly done: string;
  readonly field?: string;
  readonly first?: string;
  /** Whether nothing at all is an answer too. */
  readonly mayBeEmpty?: boolean;
  /** Another control than lines of text. */
  readonly control?: (id: string, value: string, onChange: (value: string) => void) => ReactNode;
  /** Carries it out; its rejection is shown, and told to the next press. */
  readonly send: (text: string, refused: unknown) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for one thing about an incident, and does what the button says. */
export function AskSheet({ mayBeEmpty = false, first = '', ...props }: AskSheetProps) {
  const { title, what, label, button, done, field, control, send, onClose } = props;
  const client = useQueryClient();
  const id = useId();
  const [text, setText] = useState(first);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const ready = !busy && (mayBeEmpty || text.trim() !== '');
  const press = async (): Promise<void> => {
    if (!ready) return;
    setBusy(true);
    try {
      await send(text.trim(), refused);
      say(done);
      onClose();
    } catch (error: unknown) {
      setRefused(error);
      setBusy(false);
    }
    await client.invalidateQueries({ queryKey: ['incident'] });
  };
  return (
    <Sheet
      title={title}
      narrow
      {...(field === undefined ? {} : { field })}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.ctrlKey) void press();
      }}
      footer={
        <>
          <button type="button" className="button" data-kind="quiet" onClick={onClose}>
            Cancel
          </button>
          <span className="push" />
          <button type="button" className="button" data-kind="main" disabled={!ready} onClick={() => void press()}>
            {button(refused)}
          </button>
        </>
      }
    >
      <p className="soft">{what}</p>
      <div className="field">
        <label htmlFor={id}>{label}</label>
        {control === undefined ? (
          <textarea
            id={id}
            className="input"
            value={text}
            maxLength={2000}
            data-first
            onChange={(event) => setText(event.target.value)}
          />
        ) : (
          control(id, text, setText)
        )}
      </div>
      {refused === undefined || busy ? null : (
        <p className="note" data-tone="bad" role="alert">
          {sayError(refused)}.
        </p>
      )}
    </Sheet>
  );
}
