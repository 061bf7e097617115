import type { World } from '../harness/world.ts';

/** The story whose proposal most checks look at. It waits until the newcomer's check approves it. */
export const WAITING_STORY = 'bad-rollout';

/** Address of the incident that waits for approval. */
export async function waitingIncident(world: World): Promise<{ readonly number: number; readonly path: string }> {
  const { number } = await world.awaiting(WAITING_STORY);
  return { number, path: `/incidents/${number}` };
}
