import { z } from 'zod';
import { ROLES } from '../principal/service.ts';
import { Instant } from './named.ts';

/** Where a grant comes from; it ends with its source. */
export const GRANT_SOURCES = ['configuration', 'loopback', 'token', 'admin'] as const;

/** One role of one account, with its source. */
export const AccountGrant = z
  .object({
    id: z.string(),
    subject: z.string(),
    name: z.string(),
    kind: z.enum(['person', 'service']),
    role: z.enum(ROLES),
    namespace: z.string().meta({ description: 'Empty: everywhere' }),
    source: z.enum(GRANT_SOURCES).meta({
      description:
        '`configuration`: auth.people; `loopback`: the first admin of a server on loopback; `token`: came with the token and serves it alone; `admin`: granted by hand',
    }),
    tokenId: z.string().nullable(),
    grantedBy: z.string(),
    grantedAt: Instant,
    revokedBy: z.string().nullable(),
    revokedAt: Instant.nullable().meta({
      description: 'Revoked grants stay listed while the configuration still states them',
    }),
  })
  .meta({ id: 'AccountGrant' });
export type AccountGrant = z.infer<typeof AccountGrant>;

/** A name of a namespace, or nothing for all of them. */
export const NamespaceScope = z
  .string()
  .regex(/^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)?$/, 'expected the name of a namespace, or nothing for everywhere');
