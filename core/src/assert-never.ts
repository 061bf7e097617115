/** Closes an exhaustive switch: a new member of the union stops compiling here, and a value that slipped past the types throws. */
export function assertNever(value: never): never {
  throw new Error(`expected a known variant, found ${JSON.stringify(value)}; this is a bug in hephaisto`);
}
