/** A length of time as people say it, in at most two units: `48 s`, `11 min`, `4 h 5 min`, `2 d 3 h`. Negative lengths count as none. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return minutes < 10 && whole % 60 !== 0 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** The same in one unit, for narrow columns: `48 s`, `11 min`, `4 h`, `2 d`. */
export function shortDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min`;
  if (whole < 172_800) return `${Math.floor(whole / 3_600)} h`;
  return `${Math.floor(whole / 86_400)} d`;
}

/** Time left as a clock that keeps its width: `08:41`, `1:08:41`. */
export function countdownText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(whole / 3_600);
  const rest = `${two(Math.floor((whole % 3_600) / 60))}:${two(whole % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

/** Seconds left of a count that stood at `secondsLeft` when the answer came, `elapsedMs` ago by a clock that never jumps. */
export function secondsLeft(left: number | null, elapsedMs: number): number | null {
  return left === null ? null : Math.max(0, left - elapsedMs / 1000);
}
