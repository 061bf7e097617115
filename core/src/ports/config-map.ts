import type { KubeRead } from './kube.ts';

/** The one object, as the cluster serves it: read whole, then followed. Both are bounded; `follow` ends when the server ends it. */
export interface ConfigMapSource {
  read(): Promise<KubeRead<ConfigMapState>>;
  follow(
    resourceVersion: string,
    onChange: (state: ConfigMapState) => void,
    signal: AbortSignal,
  ): Promise<KubeRead<'ended'>>;
}

export type ConfigMapState =
  | { readonly kind: 'present'; readonly resourceVersion: string; readonly data: Readonly<Record<string, string>> }
  | { readonly kind: 'missing'; readonly resourceVersion: string };
