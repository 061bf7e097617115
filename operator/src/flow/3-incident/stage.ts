import { type MaintenanceWindow, triage } from '@hephaisto/core/incident/triage';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { Stage, StageDeps } from '../stage.ts';
import { inTrace } from '../trace-log/in-trace.ts';
import { commitVerdict } from './commit.ts';
import { claimUntriaged, untriaged } from './due-rows.ts';
import { gatherTriage } from './gather.ts';

/** Milliseconds and counts, as configured. */
export interface TriageConfig {
  readonly flapWindow: number;
  readonly flapLimit: number;
  readonly flapCooldown: number;
  readonly stormWindow: number;
  readonly selfCaused: number;
  readonly maintenance: readonly MaintenanceWindow[];
}

/** Looks once at each new incident and says what happens next: nothing, a person, or an investigation. */
export function createIncidentStage(
  deps: StageDeps & {
    readonly sha256: Sha256Hex;
    /** The mode in force, the most restrictive of all arms. */
    readonly agentMode: () => string | Promise<string>;
  },
  config: TriageConfig,
): Stage {
  async function look(id: string, agentMode: string): Promise<boolean> {
    const verdict = await deps.db.transaction(async (tx) => {
      const incident = await claimUntriaged(tx, id);
      if (incident === undefined) return undefined;
      const facts = await gatherTriage(tx, incident, { ...config, agentMode });
      const decided = triage(facts, config);
      await commitVerdict(tx, deps, incident, decided, config);
      return decided;
    });
    await deps.faults.hit('incident:triaged');
    return verdict !== undefined;
  }

  return {
    name: 'incident',
    pollMs: 1_000,
    async pass(signal) {
      const due = await untriaged(deps.db, 50);
      if (due.length === 0) return 0;
      const agentMode = await deps.agentMode();
      let moved = 0;
      for (const id of due) {
        if (signal.aborted) break;
        if (await inTrace(deps, 'hephaisto.triage', { incident: id }, () => look(id, agentMode))) moved += 1;
      }
      return moved;
    },
  };
}
