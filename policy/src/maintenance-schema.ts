import { duration } from '@hephaisto/core/config/duration';
import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { namespacePattern } from './namespaces.ts';

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const pattern = z.union([z.literal('*'), namespacePattern]);

const zone = z.string().default('UTC').refine(isZone, { error: 'expected a time zone such as `Europe/Berlin`' });

function isZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** In the order of ISO weekdays modulo seven. */
export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** A span of time, once or every week, in which some namespaces are left to their people. */
export const maintenanceWindow = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('once'),
      name: z.string().min(1),
      namespaces: z.array(pattern).min(1),
      from: instant,
      to: instant,
    })
    .refine(({ from, to }) => from < to, { error: 'expected `from` before `to`', path: ['to'] }),
  z.strictObject({
    kind: z.literal('weekly'),
    name: z.string().min(1),
    namespaces: z.array(pattern).min(1),
    days: z.array(z.enum(DAYS)).min(1).describe('Days on which it begins, in its zone.'),
    from: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time such as `22:00`')
      .describe(
        'Time of day in its zone. A time that the clocks skip is moved forward; of a repeated one the first counts.',
      ),
    lasts: duration('1h', { min: '1m', max: '1d' }),
    zone,
  }),
]);
export type MaintenanceWindow = z.output<typeof maintenanceWindow>;
