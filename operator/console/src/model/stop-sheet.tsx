import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, freshKey, sayError } from '../api/call.ts';
import { Sheet } from '../parts/sheet.tsx';
import { say } from '../parts/toasts.tsx';
import type { Look } from './model-words.ts';

/** Ends a look that is under way: nothing more is read or sent, and the incident is in a person's hands. */
export function StopSheet({ look, onClose }: { readonly look: Look; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [state, setState] = useState<{ readonly busy: boolean; readonly problem?: string }>({ busy: false });
  const ready = !state.busy && text.trim() !== '';
  const send = async (): Promise<void> => {
    if (!ready) return;
    setState({ busy: true });
    try {
      await call('POST', `/api/v1/investigations/${look.id}/stop`, {
        body: { reason: text.trim() },
        idempotencyKey: freshKey(),
      });
      say('Stopped');
      onClose();
    } catch (error: unknown) {
      setState({ busy: false, problem: sayError(error) });
    }
    await client.invalidateQueries({ queryKey: ['incident'] });
  };
  return (
    <Sheet
      title="Stop the investigation"
      narrow
      field="stop-sheet"
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
            Stop it
          </button>
        </>
      }
    >
      <p className="soft">Nothing more is read, and nothing more is sent to a model. What the rules found stays.</p>
      <div className="field">
        <label htmlFor="stop-reason">Why?</label>
        <textarea
          id="stop-reason"
          className="input"
          value={text}
          maxLength={2000}
          data-first
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {state.problem === undefined ? null : (
        <p className="note" data-tone="bad" role="alert">
          {state.problem}.
        </p>
      )}
    </Sheet>
  );
}
