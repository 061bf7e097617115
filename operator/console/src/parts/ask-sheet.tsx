import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { sayError } from '../api/call.ts';
import { pressKey } from '../api/press-key.ts';
import { Sheet } from './sheet.tsx';
import { say } from './toasts.tsx';

interface AskSheetProps {
  readonly title: string;
  /** What a press brings about, in a sentence. */
  readonly what: string;
  /** Name of the one thing that is asked for. */
  readonly label: string;
  /** What the button says, given what the server refused last. */
  readonly button: (refused: unknown) => string;
  readonly done: string;
  readonly field?: string;
  readonly first?: string;
  /** Whether nothing at all is an answer too. */
  readonly mayBeEmpty?: boolean;
  /** Another control than lines of text. */
  readonly control?: (id: string, value: string, onChange: (value: string) => void) => ReactNode;
  /** Carries it out under the idempotency key `key`; its rejection is shown, and a refusal told to the next press. */
  readonly send: (text: string, key: string, refused: unknown) => Promise<unknown>;
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
  const [failed, setFailed] = useState<unknown>();
  const [key] = useState(pressKey);
  const ready = !busy && (mayBeEmpty || text.trim() !== '');
  const press = async (): Promise<void> => {
    if (!ready) return;
    setBusy(true);
    try {
      await send(text.trim(), key.of(text.trim()), refused);
      say(done);
      onClose();
    } catch (error: unknown) {
      setFailed(error);
      if (key.refused(error)) setRefused(error);
      setBusy(false);
    }
    await client.invalidateQueries({ queryKey: ['incident'] });
  };
  return (
    <Sheet
      title={title}
      narrow
      busy={busy}
      {...(field === undefined ? {} : { field })}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.ctrlKey) void press();
      }}
      footer={
        <>
          <button type="button" className="button" data-kind="quiet" disabled={busy} onClick={onClose}>
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
      {failed === undefined || busy ? null : (
        <p className="note" data-tone="bad" role="alert">
          {sayError(failed)}.
        </p>
      )}
    </Sheet>
  );
}
