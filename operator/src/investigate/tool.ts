import type { ToolArgs, ToolName, ToolValues } from '@hephaisto/core/diagnose/tools';
import type { KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import type { ZodType } from 'zod';

/**
 * One question that can be put to a cluster. What `read` brings is redacted and stored before anything else sees it; `view` makes of the
 * redacted bytes what rules use and the text that people and models see, so both always say the same.
 */
export interface Tool<Name extends ToolName = ToolName, Raw = unknown> {
  readonly name: Name;
  /** For whoever chooses among the tools: what it answers and when to ask. */
  readonly description: string;
  readonly schema: ZodType<ToolArgs[Name]>;
  /** No investigator has any other. */
  readonly effect: 'read';
  /** Bytes of UTF-8 that its text may have. */
  readonly maxBytes: number;
  /** What is not known when it cannot be read. */
  readonly wouldHaveTold: string;
  readonly contentType: 'application/json' | 'text/plain; charset=utf-8';
  /** The namespace that the call looks into; undefined for what has none. */
  namespaceOf(args: ToolArgs[Name]): string | undefined;
  /** Ends its requests when the signal aborts; the reader is already bound to it. */
  read(reader: KubeReader, args: ToolArgs[Name], signal: AbortSignal): Promise<KubeRead<Raw>>;
  view(raw: Raw, args: ToolArgs[Name]): { readonly value: ToolValues[Name]; readonly text: string };
}

/** Text of tables; room for the lines of about two hundred pods. */
export const TABLE_BYTES = 24_576;

/** A tool whose raw answer is the typed value itself. */
export function factTool<Name extends ToolName>(
  tool: Omit<Tool<Name, ToolValues[Name]>, 'effect' | 'contentType' | 'view' | 'maxBytes'> & {
    render(value: ToolValues[Name], args: ToolArgs[Name]): string;
  },
): Tool<Name, ToolValues[Name]> {
  const { render, ...rest } = tool;
  return {
    ...rest,
    effect: 'read',
    contentType: 'application/json',
    maxBytes: TABLE_BYTES,
    view: (value, args) => ({ value, text: render(value, args) }),
  };
}

/** A tool whose pairing of arguments and answers the compiler no longer follows: arguments are parsed by the schema before they come here. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly schema: ZodType;
  readonly effect: string;
  readonly maxBytes: number;
  readonly wouldHaveTold: string;
  readonly contentType: string;
  namespaceOf(args: unknown): string | undefined;
  read(reader: KubeReader, args: unknown, signal: AbortSignal): Promise<KubeRead<unknown>>;
  view(raw: unknown, args: unknown): { readonly value: unknown; readonly text: string };
}

export function anyTool<Name extends ToolName, Raw>(tool: Tool<Name, Raw>): AnyTool {
  // Arguments of methods are contravariant; that each tool only meets its own schema's output is what the recorder guarantees.
  return tool as unknown as AnyTool;
}

/** A tool that asks something beside the cluster, and that only models use: its answer is the value itself. */
export function plainTool<Raw, Args>(tool: {
  readonly name: string;
  readonly description: string;
  readonly schema: ZodType<Args>;
  readonly wouldHaveTold: string;
  read(args: Args, signal: AbortSignal): Promise<KubeRead<Raw>>;
  render(raw: Raw, args: Args): string;
}): AnyTool {
  const { name, description, schema, wouldHaveTold } = tool;
  return {
    name,
    description,
    schema,
    effect: 'read',
    maxBytes: TABLE_BYTES,
    wouldHaveTold,
    contentType: 'application/json',
    namespaceOf: () => undefined,
    // The recorder has parsed the arguments by this tool's own schema, and gives back what this tool's `read` brought.
    read: (_reader, args, signal) => tool.read(args as Args, signal),
    view: (raw, args) => ({ value: raw, text: tool.render(raw as Raw, args as Args) }),
  };
}
