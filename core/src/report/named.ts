import { z } from 'zod';

/** RFC 3339 in UTC. */
export const Instant = z.iso.datetime().meta({ description: 'RFC 3339, UTC' });

/** Digest of bytes, in hexadecimal. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Data of a decision whose fields depend on its kind. Inert: shown, never interpreted. */
export const Facts = z.record(z.string(), z.unknown());

/** The people who read and decide. */
export const PersonRef = z
  .object({ subject: z.string(), name: z.string() })
  .meta({ id: 'PersonRef', description: 'A person or a named service' });
export type PersonRef = z.infer<typeof PersonRef>;

/** A named object of the cluster. `namespace` is empty for what lies in none. */
export const ObjectName = z
  .object({ kind: z.string(), namespace: z.string(), name: z.string() })
  .meta({ id: 'ObjectName' });
export type ObjectName = z.infer<typeof ObjectName>;

/** Enough of an incident to point at it. */
export const IncidentRef = z
  .object({ id: z.uuid(), number: z.int(), title: z.string(), state: z.string() })
  .meta({ id: 'IncidentRef' });
export type IncidentRef = z.infer<typeof IncidentRef>;

/** One page of a list. `next` is the cursor of the following page; null on the last. `total` counts all that match the filters. */
export function pageOf<T extends z.ZodType>(item: T, id: string) {
  return z.object({ items: z.array(item), next: z.string().nullable(), total: z.int().nonnegative() }).meta({ id });
}
export interface Page<T> {
  items: T[];
  next: string | null;
  total: number;
}
