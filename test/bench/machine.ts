import { availableParallelism, cpus, totalmem } from 'node:os';

/** What figures were measured on, in a phrase. */
export function machineText(): string {
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, ${memory} GiB, Node ${process.versions.node}`;
}
