/** Whether a time read from outside is one, and of a year that RFC 3339 can write; others the database refuses, with all that comes along. */
export function isStorableTime(time: Date): boolean {
  if (Number.isNaN(time.getTime())) return false;
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
