import type { Behaviour, ContainerScript } from './behaviour.ts';
import { app } from './manifests.ts';
import type { Manifest, WorldStep } from './story.ts';

const APPS = [
  { name: 'storefront', image: 'storefront:7.2.1', replicas: 4, says: 'served 128 pages, p95 41ms' },
  { name: 'catalog', image: 'catalog:3.9.0', replicas: 4, says: 'cache hit ratio 0.97' },
  { name: 'search', image: 'search:2.14.3', replicas: 3, says: 'index generation 8812 is current' },
  { name: 'recommendations', image: 'recommendations:1.6.2', replicas: 3, says: 'model 2026-11 scored 512 baskets' },
  { name: 'sessions', image: 'sessions:4.0.5', replicas: 3, says: 'expired 14 sessions' },
  { name: 'accounts', image: 'accounts:5.3.0', replicas: 2, says: 'issued 33 tokens' },
  { name: 'images', image: 'images:1.1.9', replicas: 2, says: 'resized 60 images' },
  { name: 'gateway', image: 'gateway:9.4.2', replicas: 2, says: 'upstreams healthy 7/7' },
] as const;

/** How many healthy pods stand around every story's fault. */
export const BACKGROUND_PODS = APPS.reduce((sum, each) => sum + each.replicas, 0);

/** A process that comes up, says so, and goes on saying that all is well. */
export function healthyScript(says: string): ContainerScript {
  return {
    log: [
      { at: 0, text: '{time} info starting {image}' },
      { at: 1, text: '{time} info configuration loaded' },
      { at: 2, text: '{time} info listening on :8080' },
    ],
    heartbeat: { everySeconds: 30, text: `{time} info ${says}` },
  };
}

export const BACKGROUND_MANIFESTS: readonly Manifest[] = APPS.flatMap(({ name, image, replicas }) =>
  app({ name, image, replicas, memoryLimit: '64Mi', memoryRequest: '16Mi', cpuRequest: '10m' }),
);

export const BACKGROUND_BEHAVIOURS: readonly Behaviour[] = APPS.map(({ name, says }) => ({
  workload: name,
  when: { kind: 'always' },
  run: healthyScript(says),
}));

/** How every story begins: the shop is up, with the story's own workloads among the others. */
export function opening(manifests: readonly Manifest[]): readonly WorldStep[] {
  return [
    { do: 'apply', note: 'the shop is installed', manifests: BACKGROUND_MANIFESTS },
    { do: 'apply', note: 'the workloads of this story are installed', manifests },
  ];
}
