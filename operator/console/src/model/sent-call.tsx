import type { TranscriptCall } from '@hephaisto/core/report/transcript';
import { useState } from 'react';
import { CopyButton } from '../parts/copy.tsx';
import { inertText, plainName } from '../parts/inert-text.ts';
import { At } from '../parts/time.tsx';
import { dollars, milliseconds, tokensText } from './model-words.ts';
import { laidOut, sentStretches } from './redactions.ts';

const PURPOSES: Readonly<Record<string, string>> = { turn: 'asks', grace: 'asks to conclude', plan: 'asks for a plan' };

/** One request: its figures, and on demand every byte of it and what came back. */
export function SentCall({ call }: { readonly call: TranscriptCall }) {
  const [open, setOpen] = useState(false);
  const { sent } = call;
  return (
    <li data-outcome={call.outcome} data-field="sent-call">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <b className="numbers">{call.callNo}</b> <span>{PURPOSES[call.purpose] ?? plainName(call.purpose)}</span>
          <span className="faint">
            <At instant={call.startedAt} />
          </span>
          <span className="numbers">{sent.bytes === null ? 'bytes expired' : bytesText(sent.bytes)}</span>
          <span className="faint numbers">
            {tokensText(call.inputTokens)} in, {tokensText(call.outputTokens)} out
            {call.cachedTokens === 0 ? '' : `, ${tokensText(call.cachedTokens)} cached`}
          </span>
          <span className="faint numbers">{dollars(call.costUsd)}</span>
          {call.firstByteMs === null ? null : (
            <span className="faint numbers">first byte {milliseconds(call.firstByteMs)}</span>
          )}
          {sent.redactions === 0 ? null : (
            <span className="tag" data-tone="ask">
              {sent.redactions} taken out
            </span>
          )}
          {call.outcome === 'ok' ? null : (
            <span className="tag" data-tone={call.outcome === 'started' ? 'run' : 'warn'}>
              {call.outcome === 'started' ? 'under way' : plainName(call.errorKind ?? call.outcome)}
            </span>
          )}
        </summary>
        {open ? <Contents call={call} /> : null}
      </details>
    </li>
  );
}

function Contents({ call }: { readonly call: TranscriptCall }) {
  const [exact, setExact] = useState(false);
  const { body, sha256 } = call.sent;
  const readable = body === null ? undefined : laidOut(body);
  const shown = exact || readable === undefined ? body : readable;
  return (
    <div className="sent-contents">
      <div className="sent-part">
        <header>
          <h3 className="label">Sent to {inertText(call.recipient.host)}</h3>
          {body === null ? null : (
            <span className="sent-buttons">
              {readable === undefined ? null : (
                <button type="button" className="link" aria-pressed={exact} onClick={() => setExact(!exact)}>
                  {exact ? 'Lay it out for reading' : 'Show the exact bytes'}
                </button>
              )}
              <CopyButton text={body} what="the request" label="Copy" />
            </span>
          )}
        </header>
        {shown === null ? (
          <p className="soft">
            The bytes were kept for their time and are gone; that the call was made stays on record.
          </p>
        ) : (
          <Sent text={shown} />
        )}
        {sha256 === null ? null : (
          <p className="faint small wrap-any">
            SHA-256 of the exact bytes: <code>{sha256}</code>
          </p>
        )}
      </div>
      <div className="sent-part">
        <header>
          <h3 className="label">Answered</h3>
        </header>
        {call.said.length === 0 ? (
          <p className="soft">Nothing that was kept.</p>
        ) : (
          call.said.map((said, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one answer have no identity but their place
            <div key={index} className="answer-part">
              {said.kind === 'tool-call' ? <b>calls {inertText(said.name ?? '')}</b> : null}
              <pre className="code">{inertText(said.text)}</pre>
            </div>
          ))
        )}
      </div>
    </div>
  );
}

/** Text nodes only; what was taken out before it was sent is marked. */
function Sent({ text }: { readonly text: string }) {
  let position = 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className="code sent-bytes" tabIndex={0} data-field="sent-bytes">
      {sentStretches(text).map((stretch) => {
        const key = position;
        position += stretch.text.length;
        return stretch.redacted ? (
          <mark key={key} title="A value that was taken out before anything was stored or sent">
            {stretch.text}
          </mark>
        ) : (
          inertText(stretch.text)
        );
      })}
    </pre>
  );
}

export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
