import { type ZodType, z } from 'zod';
import type { JsonSchema } from './message.ts';

/**
 * The JSON schema of what a zod schema takes in: the same source describes an argument to the model and checks it when it comes. Without the
 * dialect's address, which no provider wants.
 */
export function jsonSchemaOf(schema: ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}
