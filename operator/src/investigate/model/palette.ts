import { CONCLUDE, concludeArgs } from '@hephaisto/core/model/conclude';
import { jsonSchemaOf } from '@hephaisto/core/model/json-schema';
import type { ToolDefinition } from '@hephaisto/core/model/message';
import type { Toolbox } from '../toolbox.ts';

/** The tools as a model is told of them, in a fixed order, and the one call that ends an investigation. */
export function paletteOf(tools: Toolbox): readonly ToolDefinition[] {
  const reading = [...tools.values()].map(({ name, description, schema }) => ({
    name,
    description,
    schema: jsonSchemaOf(schema),
  }));
  const conclude = {
    name: CONCLUDE,
    description: 'Ends the investigation with its findings. Call it once, alone.',
    schema: jsonSchemaOf(concludeArgs),
  };
  return [...reading, conclude];
}
