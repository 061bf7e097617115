import type { Database } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { AGENT_MODE, EMERGENCY_STOP, RUNAWAY_LATCH } from '@hephaisto/core/switches/arms';
import type { AgentMode } from '@hephaisto/core/switches/modes';

/**
 * Makes sure that every switch has a row to lock. What is stored stays: an installation boots in the mode in which it was left, and `initial` is only for one that
 * has never run.
 */
export async function seedSwitches(db: Database, initial: AgentMode): Promise<void> {
  const rows = [
    [AGENT_MODE, initial],
    [EMERGENCY_STOP, 'off'],
    [RUNAWAY_LATCH, 'off'],
  ];
  for (const [name, value] of rows)
    await db.execute(
      `INSERT INTO switches (name, value, reason, set_by) VALUES ($1, $2, 'first start', $3) ON CONFLICT (name) DO NOTHING`,
      [name, value, SERVICE_PRINCIPALS.policy],
    );
}
