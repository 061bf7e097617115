/** `2026-01-01T00:00:00Z`, or `-` for no time. */
export function instant(date: Date | undefined): string {
  return date === undefined || date.getTime() === 0 ? '-' : `${date.toISOString().slice(0, 19)}Z`;
}

/** One line, however the text was broken. */
export function oneLine(text: string, longest = 600): string {
  const flat = text.replace(/\s+/gu, ' ').trim();
  return flat.length <= longest ? flat : `${flat.slice(0, longest).toWellFormed()}…`;
}
