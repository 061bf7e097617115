import type { DatabaseChoice } from '../context.ts';
import type { FaultRule } from '../harness/operator-messages.ts';
import type { Plot } from './plot.ts';

/** What one seed stands for. The same seed is always the same run. */
export interface Scheduled {
  readonly seed: number;
  readonly plot: Plot;
  readonly db: DatabaseChoice;
  /** Rules of each life of the process: one death a life. */
  readonly lives: readonly (readonly FaultRule[])[];
  readonly title: string;
}

/** Every so many runs on the embedded database, whose start costs more than the rest of a run. */
const EMBEDDED_EVERY = 6;
const MOST_SKIPPED = 12;

/**
 * The first seeds walk through every point of every plot, once each; those behind them take a steady plot, one to three deaths, points and
 * how often they pass before by chance. A point that a life does not reach is no failure there, since a story has only so many commits.
 */
export function scheduled(seed: number, plots: readonly Plot[], db: DatabaseChoice | undefined): Scheduled {
  const walk = plots.flatMap((plot) => plot.points.map((point) => ({ plot, point })));
  const kind = db ?? (seed % EMBEDDED_EVERY === EMBEDDED_EVERY - 1 ? 'pglite' : 'pg');
  const fixed = walk[seed];
  if (fixed !== undefined)
    return {
      seed,
      plot: fixed.plot,
      db: kind,
      lives: [[{ point: fixed.point, does: 'kill' }]],
      title: `${fixed.plot.name}, killed at ${fixed.point}`,
    };
  const random = seeded(seed);
  const steady = plots.filter((plot) => plot.steady === true);
  const plot = pick(steady, random);
  const lives = Array.from({ length: 1 + Math.floor(random() * 3) }, (): readonly FaultRule[] => [
    { point: pick(plot.points, random), does: 'kill', skip: Math.floor(random() ** 3 * MOST_SKIPPED) },
  ]);
  const deaths = lives.map(([rule]) => `${rule?.point}${rule?.skip ? ` (${rule.skip + 1})` : ''}`);
  return { seed, plot, db: kind, lives, title: `${plot.name}, killed at ${deaths.join(', then ')}` };
}

/** How many seeds walk through every point. */
export function walkLength(plots: readonly Plot[]): number {
  return plots.reduce((sum, plot) => sum + plot.points.length, 0);
}

/** The random seeds are divided into so many parts; one run plays one part. */
export const ROTATIONS = 4;
const ALL_SEEDS = 200;

/** Which seeds were asked for. */
export interface SeedChoice {
  /** One seed alone. */
  readonly seed: number | undefined;
  /** The first so many. */
  readonly runs: number | undefined;
  readonly allSeeds: boolean;
  /** Which part of the random seeds; counted modulo ROTATIONS. */
  readonly rotation: number;
}

/** The seeds of one run: by default the whole walk, which reaches every fault point, and one part of the random seeds behind it. */
export function chosenSeeds({ seed, runs, allSeeds, rotation }: SeedChoice, plots: readonly Plot[]): readonly number[] {
  if (seed !== undefined) return [seed];
  if (runs !== undefined) return Array.from({ length: runs }, (_, n) => n);
  const walk = walkLength(plots);
  const all = Array.from({ length: Math.max(walk, ALL_SEEDS) }, (_, n) => n);
  return allSeeds ? all : all.filter((n) => n < walk || n % ROTATIONS === rotation % ROTATIONS);
}

function pick<T>(from: readonly T[], random: () => number): T {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error('expected something to choose from, found nothing');
  return chosen;
}

/** Mulberry32: small, and the same everywhere. */
function seeded(seed: number): () => number {
  let state = (seed * 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
