import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icons.tsx';

interface SheetProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly aside?: ReactNode;
  readonly narrow?: boolean;
  readonly field?: string;
  /** Something is being sent: the sheet stays until its answer can be shown in it. */
  readonly busy?: boolean;
  readonly onKeyDown?: (event: React.KeyboardEvent) => void;
}

/** A modal sheet: the browser's own dialog, which keeps the focus inside, the page behind still, and Escape as the way out. */
export function Sheet({ title, onClose, children, footer, aside, narrow = false, busy = false, ...more }: SheetProps) {
  const { field, onKeyDown } = more;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Before it is drawn and before it is taken away: only a dialog that is still in the page gives the focus back when it closes.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null || element.open) return;
    element.showModal();
    // The first thing to act on, else the title: a ring around the way out is no welcome.
    (element.querySelector<HTMLElement>('[data-first]') ?? element.querySelector('h2'))?.focus();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={narrow ? 'sheet narrow' : 'sheet'}
      aria-labelledby={heading}
      {...(field === undefined ? {} : { 'data-field': field })}
      onCancel={(event) => {
        event.preventDefault();
        if (!busy) onClose();
      }}
      onClose={({ currentTarget }) => {
        // A browser lets a page keep its sheet once; the second Escape closes it all the same.
        if (busy && currentTarget.isConnected) currentTarget.showModal();
      }}
      onKeyDown={onKeyDown}
    >
      <header>
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        {aside}
        <button type="button" className="icon-button" aria-label="Close" disabled={busy} onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="body">{children}</div>
      {footer === undefined ? null : <footer>{footer}</footer>}
    </dialog>
  );
}
