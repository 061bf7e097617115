import type { World } from '../world/world.ts';
import type { RealCluster } from './harness/cluster.ts';

/** Which database an operator under test uses; without a choice each suite states how it divides its work. */
export type DatabaseChoice = 'pg' | 'pglite';

/** What a suite gets. Suites run one after another and share one world, which a suite must leave as it found it. */
export interface Context {
  /** The database that was asked for with `--db`; undefined when nothing was. */
  readonly db: DatabaseChoice | undefined;
  /** The one story that was asked for with `--story`. */
  readonly story: string | undefined;
  /** How many runs of a suite of many were asked for with `--runs`. */
  readonly runs: number | undefined;
  /** The one run that was asked for with `--seed`. */
  readonly seed: number | undefined;
  /** Whether every seed was asked for, not only the part of this rotation. */
  readonly allSeeds: boolean;
  /** Which part of the random seeds this run plays. */
  readonly rotation: number;
  /** Aborted when the suite's time is over or the run was stopped. */
  readonly signal: AbortSignal;
  /** The world with every part, started at the first call. */
  world(): Promise<World>;
  /** The world's control plane with nodes, a kubelet that plays pods, and the operator's account; furnished at the first call. */
  cluster(): Promise<RealCluster>;
  /** Progress, on stderr. */
  say(line: string): void;
  /** One check: a line on stdout and one in the counts. A body that throws fails it and does not stop the suite; true when it passed. */
  check(title: string, body: () => Promise<void> | void): Promise<boolean>;
}
