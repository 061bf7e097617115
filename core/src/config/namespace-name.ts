import { z } from 'zod';

/** The name of one namespace. A pattern is refused: taken for a name it would match no namespace, and nobody would notice. */
export const namespaceName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'expected the name of one namespace such as `shop`; a pattern is not taken here',
  );
