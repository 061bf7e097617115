/** New rows queue here, so that nothing moves under a pointer. */
export function WaitingBar({
  count,
  what,
  onTake,
}: {
  readonly count: number;
  readonly what: string;
  readonly onTake: () => void;
}) {
  if (count === 0) return null;
  return (
    <button type="button" className="waiting-bar" data-field="waiting-rows" onClick={onTake}>
      {count} new {what}
      {count === 1 ? '' : 's'}: show <kbd>r</kbd>
    </button>
  );
}
