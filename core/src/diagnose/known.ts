import type { Gap } from '../finding/finding.ts';
import type { ToolAnswer } from '../investigation/investigator.ts';
import { callKey, type ToolArgs, type ToolName, type ToolValues, type TypedCall } from './tools.ts';

/** A typed reading together with the stored text that it may be quoted from. */
export interface Reading<Value> {
  readonly stepId: string;
  readonly text: string;
  readonly tainted: boolean;
  readonly value: Value;
}

/** All that was asked so far, with its answers. A question that was asked again has its latest answer. */
export interface Known {
  has(call: TypedCall): boolean;
  /** The first successful answer of the tool whose arguments pass. */
  one<T extends ToolName>(tool: T, where?: (args: ToolArgs[T]) => boolean): Reading<ToolValues[T]> | undefined;
  all<T extends ToolName>(tool: T): readonly (Reading<ToolValues[T]> & { readonly args: ToolArgs[T] })[];
  /** Why the call brought nothing; absent when it did, or was not made. */
  gap(call: TypedCall): Gap | undefined;
  with(call: TypedCall, answer: ToolAnswer<unknown>): Known;
}

interface Entry {
  readonly call: TypedCall;
  readonly answer: ToolAnswer<unknown>;
}

export const NOTHING_KNOWN: Known = known([]);

function known(entries: readonly Entry[]): Known {
  const keys = new Set(entries.map(({ call }) => callKey(call)));
  function all<T extends ToolName>(tool: T): readonly (Reading<ToolValues[T]> & { readonly args: ToolArgs[T] })[] {
    return entries.flatMap(({ call, answer }) => {
      if (call.tool !== tool || answer.value === undefined) return [];
      // The recorder answers a tool's call with that tool's value: the registry of tools is typed by the same map.
      const value = answer.value as ToolValues[T];
      const args = call.args as ToolArgs[T];
      return [{ stepId: answer.stepId, text: answer.text, tainted: answer.tainted, value, args }];
    });
  }
  return {
    has: (call) => keys.has(callKey(call)),
    all,
    gap: (call) => entries.find((entry) => callKey(entry.call) === callKey(call))?.answer.gap,
    one: (tool, where) => all(tool).find(({ args }) => where === undefined || where(args)),
    with: (call, answer) =>
      known([...entries.filter((entry) => callKey(entry.call) !== callKey(call)), { call, answer }]),
  };
}
