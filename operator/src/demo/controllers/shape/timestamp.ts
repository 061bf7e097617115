/** RFC 3339 in whole seconds, as `metav1.Time` is written. */
export function timestamp(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 with microseconds, as event times and leases are written. */
export function microTimestamp(now: Date): string {
  return `${now.toISOString().slice(0, -1)}000Z`;
}
