import { z } from 'zod';
import { ROLES } from '../../principal/service.ts';
import { NamespaceScope } from '../../report/grant.ts';
import { duration } from '../duration.ts';

const grant = z.strictObject({
  role: z.enum(ROLES),
  namespace: NamespaceScope.default('').describe('Empty: everywhere.'),
});

/** The database refuses U+0000, and marks of text direction would let one name read as another. Joiners stay: names of people need them. */
const PRINTED_NAME = /^[^\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u;

/** Who may come in and how long they stay. */
export const authSection = z.strictObject({
  signInLinkLife: duration('10m', { min: '1s', max: '1h' }).describe('How long a one-time sign-in link works.'),
  sessionIdle: duration('2h', { min: '1s', max: '7d' }).describe('A session unused for so long is over.'),
  sessionLife: duration('12h', { min: '1s', max: '30d' }).describe('A session is over after so long, used or not.'),
  people: z
    .array(
      z.strictObject({
        subject: z.string().regex(/^[a-z0-9][a-z0-9._@-]{0,62}$/, 'expected a short name in lower case such as `ana`'),
        name: z
          .string()
          .max(200)
          .regex(PRINTED_NAME, 'expected a name without control characters and marks of text direction')
          .describe('Name as others read it.'),
        grants: z.array(grant).min(1),
        identities: z
          .array(
            z
              .string()
              .max(300)
              .regex(
                /^(?!service:hephaisto\/)[^\p{C}\s]+$/u,
                'expected the subject of an account such as `kubernetes:ana@example.com`',
              ),
          )
          .max(20)
          .default([])
          .describe('Further accounts of this person, e.g. `kubernetes:ana@example.com`. Together they have one vote.'),
      }),
    )
    .default([])
    .describe(
      'People and what they may do, written at each start. A grant that is taken out ends at the next start, with the sessions, sign-in links and tokens that lived from it.',
    ),
  adminLink: z
    .boolean()
    .default(true)
    .describe('Print a one-time link for the account `admin` at start when the server listens on loopback.'),
  tokenReview: z
    .strictObject({
      adminGroup: z
        .string()
        .min(1)
        .optional()
        .describe('A bearer token that the cluster’s TokenReview accepts and that carries this group is an admin.'),
      audiences: z.array(z.string().min(1)).default([]).describe('Audiences that the token must be meant for.'),
    })
    .prefault({}),
});
