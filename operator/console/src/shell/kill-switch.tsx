import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { codeOf, sayError } from '../api/call.ts';
import { healthQuery, sessionQuery, switchesQuery } from '../api/reads.ts';
import { rightTo } from '../api/rights.ts';
import { setSwitch } from '../api/writes.ts';
import { Icon } from '../parts/icons.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { say } from '../parts/toasts.tsx';
import { actingState, actingWords } from './acting-state.ts';
import { useFreshness } from './line-context.ts';

export const EMERGENCY_STOP = 'emergency_stop';

/** Whether the stop is on: by the switches where they are read, else by the health answer. `on` is undefined where neither was read. */
export function useStop() {
  const item = useQuery(switchesQuery).data?.items.find((entry) => entry.name === EMERGENCY_STOP);
  const health = useQuery(healthQuery).data?.value.actions;
  const on = item === undefined ? health?.emergencyStop : item.effective === 'on';
  return { on, item, mode: health?.mode };
}

/** State of acting at all, and the one press that stops it. */
export function KillSwitch() {
  const { on, mode } = useStop();
  const freshness = useFreshness();
  const [open, setOpen] = useState(false);
  const state = actingState({ stop: on, mode, freshness: freshness.state });
  const { word, sentence } = actingWords(state);
  return (
    <>
      <span className="switch-state" data-field="switch" data-state={state.kind} title={sentence}>
        <span className="word">Actions: {word}</span>
      </span>
      <button
        type="button"
        className="button"
        data-kind={on === true ? 'stop-now' : 'stop'}
        aria-label={on === true ? 'Lift the stop' : 'Stop all actions'}
        onClick={() => setOpen(true)}
      >
        <Icon name="stop" />
        {on === true ? 'Stopped' : 'Stop'}
      </button>
      {open ? on === true ? <Lift onClose={() => setOpen(false)} /> : <Stop onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function useSet(onDone: () => void) {
  const client = useQueryClient();
  const [state, set] = useState<{ readonly busy: boolean; readonly problem?: string }>({ busy: false });
  const run = async (value: 'on' | 'off', reason: string, seen: number | undefined): Promise<void> => {
    set({ busy: true });
    try {
      await setSwitch(EMERGENCY_STOP, value, reason, seen);
      say(value === 'on' ? 'Stopped: nothing will be sent to the cluster' : 'The stop is lifted');
      onDone();
    } catch (error: unknown) {
      set({
        busy: false,
        problem: codeOf(error) === 'version-mismatch' ? `${sayError(error)} (just reread)` : sayError(error),
      });
    }
    await Promise.all([
      client.invalidateQueries({ queryKey: switchesQuery.queryKey }),
      client.invalidateQueries({ queryKey: healthQuery.queryKey }),
    ]);
  };
  return { ...state, run };
}

/** Stopping asks for a reason and one press, nothing more. */
function Stop({ onClose }: { readonly onClose: () => void }) {
  const session = useQuery(sessionQuery).data;
  const right = rightTo(session, 'responder', null);
  const [reason, setReason] = useState('');
  const { busy, problem, run } = useSet(onClose);
  const ready = right.kind === 'may' && reason.trim() !== '' && !busy;
  const stop = (): void => void (ready && run('on', reason.trim(), undefined));
  return (
    <Sheet
      title="Stop all actions?"
      narrow
      field="stop-sheet"
      busy={busy}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.ctrlKey) stop();
      }}
      footer={
        <>
          <button type="button" className="button" data-kind="quiet" disabled={busy} onClick={onClose}>
            Cancel
          </button>
          <span className="push" />
          <button type="button" className="button" data-kind="stop-now" disabled={!ready} onClick={stop}>
            <Icon name="stop" />
            Stop all actions now <kbd>Ctrl ⏎</kbd>
          </button>
        </>
      }
    >
      <p className="soft">
        Nothing more is sent to the cluster, undoing included. What is already sent cannot be called back. Watching,
        investigating and telling people go on.
      </p>
      <Reason value={reason} onChange={setReason} hint="Why? One line for whoever asks at dawn" />
      {right.kind === 'may-not' ? (
        <p className="note" data-tone="warn">
          Stopping {right.why}.
        </p>
      ) : null}
      {problem === undefined ? null : (
        <p className="note" data-tone="bad" role="alert">
          Not stopped: {problem}.
        </p>
      )}
    </Sheet>
  );
}

const WORD = 'resume';

/** Lifting asks more: an admin, a reason, and a word typed with intent. */
function Lift({ onClose }: { readonly onClose: () => void }) {
  const session = useQuery(sessionQuery).data;
  const { item } = useStop();
  const right = rightTo(session, 'admin', null);
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const { busy, problem, run } = useSet(onClose);
  const elsewhere = Object.entries(item?.arms ?? {}).filter(([arm, value]) => arm !== 'database' && value === 'on');
  const ready = right.kind === 'may' && reason.trim() !== '' && typed.trim().toLowerCase() === WORD && !busy;
  return (
    <Sheet
      title="Lift the stop?"
      narrow
      field="lift-sheet"
      busy={busy}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" data-kind="quiet" disabled={busy} onClick={onClose}>
            Keep it stopped
          </button>
          <span className="push" />
          <button
            type="button"
            className="button"
            data-kind="main"
            disabled={!ready}
            onClick={() => void run('off', reason.trim(), item?.version)}
          >
            Let actions run again
          </button>
        </>
      }
    >
      {item?.reason === null || item?.reason === undefined ? null : (
        <p className="note" data-tone="bad">
          Stopped{item.setBy === null ? '' : ` by ${item.setBy.name}`}: <q className="wrap-any">{item.reason}</q>
        </p>
      )}
      {elsewhere.length === 0 ? null : (
        <p className="note" data-tone="warn">
          It is also on in {elsewhere.map(([arm]) => arm).join(' and ')}; lifting it here does not lift it there.
        </p>
      )}
      <p className="soft">Proposals that were open when it was stopped are judged anew before anything is sent.</p>
      <Reason value={reason} onChange={setReason} hint="What has been looked at, and why is it safe now?" />
      <div className="field">
        <label htmlFor="lift-word">
          Type <b>{WORD}</b>
        </label>
        <input
          id="lift-word"
          className="input"
          value={typed}
          autoComplete="off"
          onChange={(e) => setTyped(e.target.value)}
        />
      </div>
      {right.kind === 'may-not' ? (
        <p className="note" data-tone="warn">
          Lifting {right.why}.
        </p>
      ) : null}
      {problem === undefined ? null : (
        <p className="note" data-tone="bad" role="alert">
          Not lifted: {problem}.
        </p>
      )}
    </Sheet>
  );
}

function Reason({
  value,
  onChange,
  hint,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint: string;
}) {
  return (
    <div className="field">
      <label htmlFor="switch-reason">Reason</label>
      <input
        id="switch-reason"
        className="input"
        value={value}
        maxLength={500}
        placeholder={hint}
        data-first
        onChange={(e) => onChange(e.target.value)}
      />
    </div>
  );
}
