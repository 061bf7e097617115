import { differing } from './differing.ts';
import { inertText } from './inert-text.ts';

/** A value beside the one it stands against: what differs is marked, so that a single letter is seen. */
export function MarkedValue({ value, other }: { readonly value: string; readonly other: string | null }) {
  const parts = other === null ? undefined : differing(value, other);
  if (parts === undefined) return <>{inertText(value)}</>;
  return (
    <>
      {inertText(parts.before)}
      {parts.differs === '' ? null : <b className="differs">{inertText(parts.differs)}</b>}
      {inertText(parts.after)}
    </>
  );
}
