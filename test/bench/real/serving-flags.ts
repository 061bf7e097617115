interface Starter {
  readonly SERVING_FLAGS: readonly string[];
}

/** How Node is started for an installation; written in plain JavaScript, which has no types to import. */
export const { SERVING_FLAGS } = (await import(
  new URL('../../../operator/bin/find-node.mjs', import.meta.url).href
)) as Starter;
