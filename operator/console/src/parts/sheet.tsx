import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './icons.tsx';

interface SheetProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly aside?: ReactNode;
  readonly narrow?: boolean;
  readonly field?: string;
  readonly onKeyDown?: (event: React.KeyboardEvent) => void;
}

/** A modal sheet: the browser's own dialog, which keeps the focus inside, the page behind still, and Escape as the way out. */
export function Sheet({ title, onClose, children, footer, aside, narrow = false, field, onKeyDown }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
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
        onClose();
      }}
      onKeyDown={onKeyDown}
    >
      <header>
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        {aside}
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="body">{children}</div>
      {footer === undefined ? null : <footer>{footer}</footer>}
    </dialog>
  );
}
