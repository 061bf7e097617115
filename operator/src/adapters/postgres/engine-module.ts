import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';

/**
 * The engine's 10 MB of WebAssembly are compiled by the baseline compiler only. Measured with the optimising one on top: a peak of 820 MB
 * instead of 260 at the start of a whole operator, starts two to three times as long on two busy cores, and queries no faster within the
 * first minutes, since compiling takes the time that it saves. Without effect once the process has compiled anything else, as Node itself does:
 * processes that serve are started with it.
 */
const BASELINE_COMPILER = '--liftoff-only';

/** Compiled WebAssembly. The types of Node leave it out. */
export interface EngineModule {
  readonly [Symbol.toStringTag]: string;
}
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<EngineModule> };

let compiled: Promise<EngineModule> | undefined;

/** The engine's code, compiled once for all engines of this process. */
export function engineModule(): Promise<EngineModule> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<EngineModule> {
  setFlagsFromString(BASELINE_COMPILER);
  const file = new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
  return WebAssembly.compile(await readFile(file));
}
