/**
 * The certificate library's container refuses to load without the metadata half of `Reflect`, of which it only ever reads
 * what no constructor of the library has. So this much is enough, and a whole polyfill for it is not worth a dependency.
 */
interface MetadataReader {
  getMetadata?: (key: unknown, target: object) => unknown;
  getOwnMetadata?: (key: unknown, target: object) => unknown;
}

const reader = Reflect as MetadataReader;
reader.getMetadata ??= () => undefined;
reader.getOwnMetadata ??= () => undefined;
