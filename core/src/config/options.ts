import { z } from 'zod';
import { configSchema } from './schema.ts';

/** How the text of an environment variable becomes a value. */
export type OptionType = 'string' | 'integer' | 'number' | 'boolean' | 'strings' | 'json';

/** One thing that can be set. */
export interface ConfigOption {
  /** e.g. `server.stream.heartbeat` */
  readonly path: string;
  readonly env: string;
  readonly type: OptionType;
  /** For people: `duration`, `size`, `one of a, b`, `integer 0 to 65535` … */
  readonly accepts: string;
  /** Absent: none, and the option may be left out. */
  readonly byDefault?: unknown;
  readonly description: string;
}

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** `server.stream.perAccount` is set by `HEPHAISTO_SERVER_STREAM_PER_ACCOUNT`. */
export function environmentName(path: string): string {
  return `HEPHAISTO_${path
    .replaceAll('.', '_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;
}

/** All options in the schema's order. */
export function configOptions(): readonly ConfigOption[] {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return leaves(schema, '');
}

function leaves(schema: JsonSchema, path: string): ConfigOption[] {
  if (schema.type === 'object' && schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([key, child]) =>
      leaves(child, path === '' ? key : `${path}.${key}`),
    );
  }
  return [
    {
      path,
      env: environmentName(path),
      type: typeOf(schema),
      accepts: accepts(schema),
      ...(schema.default === undefined ? {} : { byDefault: schema.default }),
      description: schema.description ?? '',
    },
  ];
}

function typeOf(schema: JsonSchema): OptionType {
  switch (schema.type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type;
    case 'array':
      return schema.items?.type === 'string' ? 'strings' : 'json';
    default:
      return schema.enum === undefined ? 'json' : 'string';
  }
}

function accepts(schema: JsonSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}`;
  if (schema.format === 'duration' || schema.format === 'size') return schema.format;
  if (schema.type === 'array') return schema.items?.type === 'string' ? 'list of text' : 'list of objects';
  if (schema.type === 'integer' || schema.type === 'number') return `${schema.type}${range(schema)}`;
  return schema.type === 'string' ? 'text' : (schema.type ?? 'object');
}

function range(schema: JsonSchema): string {
  const bounded = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (bounded(schema.minimum) && bounded(schema.maximum)) return ` ${schema.minimum} to ${schema.maximum}`;
  if (bounded(schema.minimum)) return ` of at least ${schema.minimum}`;
  if (bounded(schema.maximum)) return ` of at most ${schema.maximum}`;
  return '';
}
