import { useServerNow } from '../shell/line-context.ts';
import { useSettings } from '../shell/settings.ts';
import { countdownText, durationText, secondsLeft, shortDuration } from '../time/duration.ts';
import { fullStamp, stampText, zoneName } from '../time/instant.ts';
import { useElapsed } from '../time/ticking.ts';

/** A moment in the reader's zone (or UTC, as set), with the other zone at hand. */
export function At({ instant, zone = false }: { readonly instant: string; readonly zone?: boolean }) {
  const settings = useSettings();
  const now = useServerNow();
  const at = new Date(instant);
  const text = stampText(at, new Date(now), settings);
  return (
    <time dateTime={instant} title={fullStamp(at)} className="numbers">
      {text}
      {zone ? <span className="faint"> {zoneName(at, settings)}</span> : null}
    </time>
  );
}

/** How long ago. Never negative: a moment ahead of this device's clock is now. */
export function Ago({ instant }: { readonly instant: string }) {
  const seconds = (useServerNow() - Date.parse(instant)) / 1000;
  return (
    <time dateTime={instant} title={fullStamp(new Date(instant))} className="numbers">
      {seconds < 2 ? 'now' : `${shortDuration(seconds)} ago`}
    </time>
  );
}

interface CountProps {
  /** Seconds when the answer came. */
  readonly seconds: number;
  /** When that was, by `performance.now()`. */
  readonly since: number;
  /** Whether it still grows. */
  readonly running: boolean;
  readonly field?: string;
  readonly short?: boolean;
}

/** A length that grows while one looks. */
export function Growing({ seconds, since, running, field, short = false }: CountProps) {
  const elapsed = useElapsed(since) / 1000;
  const now = running ? seconds + elapsed : seconds;
  return (
    <span className="numbers" {...(field === undefined ? {} : { 'data-field': field })}>
      {short ? shortDuration(now) : durationText(now)}
    </span>
  );
}

/** Time left, counted by the server's seconds and this page's steady clock. */
export function Countdown({
  left,
  since,
  label = 'expires in',
}: {
  readonly left: number | null;
  readonly since: number;
  readonly label?: string;
}) {
  const elapsed = useElapsed(since);
  const seconds = secondsLeft(left, elapsed);
  if (seconds === null) return null;
  const urgent = seconds <= 120;
  return (
    <span
      className="countdown"
      data-field="expiry"
      data-state={seconds === 0 ? 'expired' : urgent ? 'urgent' : 'running'}
    >
      {seconds === 0 ? 'expired' : `${label} `}
      {seconds === 0 ? null : <b className="numbers">{countdownText(seconds)}</b>}
    </span>
  );
}
