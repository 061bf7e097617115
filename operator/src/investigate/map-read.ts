import type { KubeRead } from '@hephaisto/core/ports/kube';

/** Applies a function to what was read, and passes a failure on. */
export function mapKubeRead<From, To>(read: KubeRead<From>, project: (value: From) => To): KubeRead<To> {
  return read.kind === 'failure' ? read : { kind: 'ok', value: project(read.value) };
}
