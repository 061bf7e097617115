import type { ReactNode } from 'react';

/** Room for a table that may be wider than the screen: it scrolls by itself, by keyboard too, and the page does not. */
export function Wide({ what, children }: { readonly what: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll-x" aria-label={what} tabIndex={0}>
      {children}
    </section>
  );
}
