import type { Config } from '@hephaisto/core/config/schema';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Switch } from '@hephaisto/core/report/installation';
import { AGENT_MODE, EMERGENCY_STOP, RUNAWAY_LATCH } from '@hephaisto/core/switches/arms';
import { createConfigMapSource } from '../adapters/kube/config-map-source.ts';
import type { KubeConnection } from '../adapters/kube/connection.ts';
import { SWITCH_CHANNEL } from '../api/stream/hub.ts';
import { readSwitches } from '../flow/9-report/switches.ts';
import { nudge, type StageDeps } from '../flow/stage.ts';
import { createSwitchBoard, describeSwitches, type SwitchBoard } from '../switches/board.ts';
import { type ConfigMapArm, followConfigMap } from '../switches/config-map-arm.ts';
import { environmentArm } from '../switches/environment-arm.ts';

export interface Switches {
  readonly board: SwitchBoard;
  readonly configMap: ConfigMapArm;
}

/** The three arms as one board. A change of the ConfigMap wakes the stages that decide, and the screens. */
export function openSwitches(
  deps: StageDeps,
  config: Config['acting'],
  connection: KubeConnection,
  random: () => number,
): Switches {
  const configMap = followConfigMap(createConfigMapSource(connection, config.configMap), { ...deps, random }, () => {
    // A screen that hears late is better than a watch that dies because the database is away.
    void announce(deps.db).catch(() => undefined);
  });
  const environment = environmentArm({
    ...(config.modeCeiling === undefined ? {} : { modeCeiling: config.modeCeiling }),
    emergencyStop: config.emergencyStop,
  });
  return { board: createSwitchBoard({ environment, configMap }), configMap };
}

async function announce(sql: Sql): Promise<void> {
  await sql.query('SELECT pg_notify($1, $2)', [SWITCH_CHANNEL, '']);
  await nudge(sql, 'admit');
  await nudge(sql, 'act');
}

/** Every switch with its row, what each arm says and what is in force. */
export async function listSwitches(board: SwitchBoard, sql: Sql): Promise<readonly Switch[]> {
  const rows = await readSwitches(sql);
  const states = await describeSwitches(board, sql);
  return states.map(({ name, effective, arms }) => {
    const row = rows.find((candidate) => candidate.name === name);
    return {
      name,
      value: row?.value ?? unset(name),
      effective,
      arms: { ...arms },
      reason: row?.reason ?? null,
      setBy: row?.setBy ?? null,
      setAt: row?.setAt ?? null,
      version: row?.version ?? 0,
    };
  });
}

function unset(name: string): string {
  if (name === EMERGENCY_STOP || name === RUNAWAY_LATCH) return 'off';
  return name === AGENT_MODE ? 'observe' : 'not set';
}
