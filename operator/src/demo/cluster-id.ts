import { createHash } from 'node:crypto';

/**
 * The identity of the demo's cluster: the same for the same data folder, so that a second start finds its incidents again, and another
 * one for another folder.
 */
export function clusterIdOf(folder: string): string {
  const hash = createHash('sha256').update(`simulated cluster of ${folder}`).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
