import { BLOCKS, type Capability } from './capabilities.ts';

function expand(numbers: string): readonly number[] {
  return numbers.split(' ').flatMap((part) => {
    const [first, last] = part.split('-').map(Number);
    if (first === undefined || Number.isNaN(first)) throw new Error(`expected a number or a range, found \`${part}\``);
    return Array.from({ length: (last ?? first) - first + 1 }, (_, i) => first + i);
  });
}

/** Requirement id to the part that owns it. Throws when an id stands in two blocks. */
export const OWNERS: ReadonlyMap<string, Capability> = (() => {
  const owners = new Map<string, Capability>();
  for (const block of BLOCKS) {
    for (const number of expand(block.numbers)) {
      const id = `${block.source}-${number}`;
      if (owners.has(id)) throw new Error(`requirement \`${id}\` stands in two blocks; keep one`);
      owners.set(id, block.capability);
    }
  }
  return owners;
})();

export const REQUIREMENT_IDS: ReadonlySet<string> = new Set(OWNERS.keys());
