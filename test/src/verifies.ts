import { REQUIREMENT_IDS } from '../requirements/ids.ts';

/**
 * Says in a test's body which requirements it proves; the requirement gate reads the calls from the source, so ids are literals.
 * Throws for an id that the manifest does not know, since a proof of nothing would count as one.
 */
export function verifies(...ids: readonly string[]): void {
  for (const id of ids) {
    if (!REQUIREMENT_IDS.has(id))
      throw new Error(`expected a requirement id of the manifest, found \`${id}\`; see test/requirements`);
  }
}
