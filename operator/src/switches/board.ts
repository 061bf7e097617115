import { ACTION_TYPES, type ActionType } from '@hephaisto/core/action/types';
import { canonicalJson } from '@hephaisto/core/canonical-json';
import type { Sql } from '@hephaisto/core/ports/database';
import {
  type ArmReading,
  actionModeName,
  combineArms,
  EMERGENCY_STOP,
  RUNAWAY_LATCH,
  SWITCH_NAMES,
  type SwitchVerdict,
} from '@hephaisto/core/switches/arms';
import { type ModeLimit, safestMode } from '@hephaisto/core/switches/modes';

/** An arm that lives in this process: what the environment said at boot, or what a watch saw last. */
export interface LocalArm {
  current(): ArmReading;
}

/**
 * The switches as one. The database's arm is read from its rows each time it is asked, on the caller's statement or transaction, so no replica can decide on an
 * old word of it; the other two are what this process last read.
 */
export interface SwitchBoard {
  verdict(sql: Sql, type: ActionType): Promise<SwitchVerdict>;
  /** The same, holding the rows until the transaction ends: whoever sets a switch meanwhile waits, and no admission commits behind its back. */
  lockedVerdict(tx: Sql, type: ActionType): Promise<SwitchVerdict>;
  /** Equal while nothing moved in any arm. */
  fingerprint(sql: Sql): Promise<string>;
  readings(sql: Sql): Promise<Readonly<Record<'environment' | 'configmap' | 'database', ArmReading>>>;
}

export function createSwitchBoard(arms: { readonly environment: LocalArm; readonly configMap: LocalArm }): SwitchBoard {
  const combined = async (sql: Sql, lock: boolean) => ({
    environment: arms.environment.current(),
    configmap: arms.configMap.current(),
    database: await databaseArm(sql, lock),
  });
  return {
    verdict: async (sql, type) => combineArms(await combined(sql, false), type),
    lockedVerdict: async (tx, type) => combineArms(await combined(tx, true), type),
    fingerprint: async (sql) => canonicalJson(await combined(sql, false)),
    readings: (sql) => combined(sql, false),
  };
}

async function databaseArm(sql: Sql, lock: boolean): Promise<ArmReading> {
  const rows = await sql.query<{ name: string; value: string }>(
    `SELECT name, value FROM switches ORDER BY name ${lock ? 'FOR SHARE' : ''}`,
  );
  return { kind: 'read', values: Object.fromEntries(rows.map(({ name, value }) => [name, value])) };
}

/** The mode in force for the installation as a whole; single kinds of action may be held lower. */
export async function overallMode(board: SwitchBoard, sql: Sql): Promise<ModeLimit> {
  return safestMode(combineArms(await board.readings(sql)).limits);
}

export interface SwitchState {
  readonly name: string;
  /** The safest word of all arms. */
  readonly effective: string;
  readonly arms: Readonly<Record<string, string>>;
}

/** Every switch with what each arm says of it and what is in force, for whoever shows them. */
export async function describeSwitches(board: SwitchBoard, sql: Sql): Promise<readonly SwitchState[]> {
  const readings = await board.readings(sql);
  return SWITCH_NAMES.map((name) => {
    const arms = Object.fromEntries(
      Object.entries(readings).map(([arm, reading]) => [arm, wordOf(reading, name)] as const),
    );
    return { name, arms, effective: effectiveOf(name, readings) };
  });
}

function wordOf(reading: ArmReading, name: string): string {
  if (reading.kind === 'unreadable') return `unreadable: ${reading.why}`;
  return reading.values[name] ?? reading.values[name.replace(':', '.')] ?? 'not set';
}

function effectiveOf(name: string, readings: Readonly<Record<string, ArmReading>>): string {
  const verdict = combineArms(
    readings,
    ACTION_TYPES.find((type) => name === actionModeName(type)),
  );
  if (name === EMERGENCY_STOP) return verdict.emergencyStop.on ? 'on' : 'off';
  if (name === RUNAWAY_LATCH) return verdict.runawayLatch.on ? 'on' : 'off';
  return safestMode(verdict.limits).mode;
}
