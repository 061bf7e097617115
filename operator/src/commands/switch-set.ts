import type { EventOrigin } from '@hephaisto/core/ports/incident-log';
import {
  ACTION_MODE_PREFIX,
  AGENT_MODE,
  EMERGENCY_STOP,
  RUNAWAY_LATCH,
  SWITCH_NAMES,
} from '@hephaisto/core/switches/arms';
import { AGENT_MODES } from '@hephaisto/core/switches/modes';
import { appendAudit } from '../flow/incident-log/audit.ts';
import { nudge } from '../flow/stage.ts';
import type { CommandDeps, CommandRefused } from './command.ts';

export interface SetSwitch {
  readonly name: string;
  readonly value: string;
  readonly reason: string;
  readonly actor: string;
  readonly origin?: EventOrigin;
  /** The version that the caller saw; 0 for a switch without a row. Absent: whatever it is. */
  readonly expectedVersion?: number;
}

export type SetSwitchResult =
  | { readonly kind: 'done'; readonly name: string; readonly value: string; readonly version: number }
  | CommandRefused<'unknown-switch' | 'unknown-value' | 'reason-required' | 'version-conflict'>;

/** Values that each switch may have. */
export function valuesOf(name: string): readonly string[] {
  if (name === AGENT_MODE || name.startsWith(ACTION_MODE_PREFIX)) return AGENT_MODES;
  return name === EMERGENCY_STOP || name === RUNAWAY_LATCH ? ['on', 'off'] : [];
}

/**
 * Sets one row. Waits for admissions that have read the row, and admissions that come after wait for it: no action is admitted behind a switch’s commit. Who may set
 * what is the caller’s to have checked.
 */
export async function setSwitch(deps: CommandDeps, command: SetSwitch): Promise<SetSwitchResult> {
  const { name, value } = command;
  if (!SWITCH_NAMES.includes(name))
    return refused('unknown-switch', `expected one of ${SWITCH_NAMES.join(', ')}, found \`${name}\``);
  if (!valuesOf(name).includes(value))
    return refused('unknown-value', `expected one of ${valuesOf(name).join(', ')}, found \`${value}\``);
  if (command.reason.trim() === '') return refused('reason-required', 'expected a reason, found none');
  const result = await deps.db.transaction(async (tx): Promise<SetSwitchResult> => {
    const [row] = await tx.query<{ version: number; value: string }>(
      'SELECT version, value FROM switches WHERE name = $1 FOR UPDATE',
      [name],
    );
    const present = row?.version ?? 0;
    if (command.expectedVersion !== undefined && command.expectedVersion !== present)
      return refused('version-conflict', `expected version ${command.expectedVersion}, found ${present}`, {
        version: present,
        value: row?.value ?? null,
      });
    const [set] = await tx.query<{ version: number }>(
      `INSERT INTO switches (name, value, reason, set_by) VALUES ($1, $2, $3, $4)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value, reason = excluded.reason, set_by = excluded.set_by, set_at = app_now(),
         version = switches.version + 1
       RETURNING version`,
      [name, value, command.reason, command.actor],
    );
    await appendAudit(tx, {
      actor: command.actor,
      origin: command.origin ?? 'api',
      verb: 'switch.set',
      subjectKind: 'switch',
      subjectId: name,
      detail: { from: row?.value ?? null, to: value },
    });
    // Whoever waits for a decision or is about to act looks again now, and not at its next turn.
    await nudge(tx, 'admit');
    await nudge(tx, 'act');
    return { kind: 'done', name, value, version: set?.version ?? present + 1 };
  });
  await deps.faults.hit('switch:set');
  return result;
}

function refused(
  reason: (SetSwitchResult & { kind: 'refused' })['reason'],
  message: string,
  details?: Readonly<Record<string, unknown>>,
): SetSwitchResult {
  return { kind: 'refused', reason, message, ...(details === undefined ? {} : { details }) };
}
