import { queryOptions } from '@tanstack/react-query';
import { call, codeOf } from './call.ts';

/** One story of the demo, as its picker shows it. */
export interface DemoStory {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly simulated: readonly string[];
  readonly state: 'idle' | 'playing' | 'ended';
  readonly verdict?: string;
}

export interface DemoStories {
  readonly stories: readonly DemoStory[];
  readonly speed: number;
  /** What is compressed in time, a sentence each. */
  readonly compressed: readonly string[];
}

/** Whether the server that gave the document plays stories. */
export function isDemo(): boolean {
  return document.querySelector('meta[name="demo"]') !== null;
}

/** The demo's stories; null outside the demo, where nothing is asked for: the route does not exist. */
export const storiesQuery = queryOptions({
  queryKey: ['stories'],
  async queryFn({ signal }): Promise<DemoStories | null> {
    if (!isDemo()) return null;
    try {
      return await call<DemoStories>('GET', '/demo/stories', { signal });
    } catch (error: unknown) {
      if (codeOf(error) === 'not-found') return null;
      throw error;
    }
  },
  // Outside the demo it is asked once: a server does not become one.
  staleTime: ({ state }) => (state.data === null ? Number.POSITIVE_INFINITY : 5_000),
  retry: false,
});

export function playStory(id: string): Promise<unknown> {
  return call('POST', `/demo/stories/${encodeURIComponent(id)}`);
}

export function resetDemo(): Promise<unknown> {
  return call('POST', '/demo/reset');
}
