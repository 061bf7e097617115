import { call } from '../api/call.ts';
import { AskSheet } from '../parts/ask-sheet.tsx';
import type { Look } from './model-words.ts';

/** Ends a look that is under way: nothing more is read or sent, and the incident is in a person's hands. */
export function StopSheet({ look, onClose }: { readonly look: Look; readonly onClose: () => void }) {
  return (
    <AskSheet
      title="Stop the investigation"
      what="Nothing more is read, and nothing more is sent to a model. What the rules found stays."
      label="Why?"
      button={() => 'Stop it'}
      done="Stopped"
      field="stop-sheet"
      send={(reason, key) =>
        call('POST', `/api/v1/investigations/${look.id}/stop`, { body: { reason }, idempotencyKey: key })
      }
      onClose={onClose}
    />
  );
}
