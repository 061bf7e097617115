import type { FieldDiff } from '@hephaisto/core/report/action';
import type { RefObject } from 'react';
import { inertText } from '../parts/inert-text.ts';
import { MarkedValue } from '../parts/marked-value.tsx';
import { changeSettings, useSettings } from '../shell/settings.ts';

interface DiffViewProps {
  readonly diff: readonly FieldDiff[];
  readonly raw: string;
  /** Set on an element right behind the last field. */
  readonly end: RefObject<HTMLDivElement | null>;
}

/** Each field that differs, as the server's dry run showed it; side by side or unified. Signs, not only colours, say which is which. */
export function DiffView({ diff, raw, end }: DiffViewProps) {
  const { diff: form } = useSettings();
  return (
    <div className="diff" data-form={form}>
      <fieldset className="diff-forms" aria-label="Form of the diff">
        <button
          type="button"
          className="chip"
          aria-pressed={form === 'side'}
          onClick={() => changeSettings({ diff: 'side' })}
        >
          side by side
        </button>
        <button
          type="button"
          className="chip"
          aria-pressed={form === 'unified'}
          onClick={() => changeSettings({ diff: 'unified' })}
        >
          unified
        </button>
      </fieldset>
      {diff.length === 0 ? (
        <p className="soft">No field of the spec changes; the object itself is deleted or made anew.</p>
      ) : (
        <ul>
          {diff.map((field) => (
            <li key={field.path}>
              <code className="path wrap-any">{inertText(field.path)}</code>
              <span className="sides">
                <del data-sign="−">
                  {field.from === null ? (
                    <i className="plain">absent</i>
                  ) : (
                    <MarkedValue value={field.from} other={field.to} />
                  )}
                </del>
                <ins data-sign="+">
                  {field.to === null ? (
                    <i className="plain">removed</i>
                  ) : (
                    <MarkedValue value={field.to} other={field.from} />
                  )}
                </ins>
              </span>
            </li>
          ))}
        </ul>
      )}
      <div ref={end} className="diff-end" />
      <details className="more">
        <summary>The exact call</summary>
        <code className="code">{inertText(raw)}</code>
      </details>
    </div>
  );
}
