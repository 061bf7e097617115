import { judgeReinvestigation, PAUSE_FACTOR, type RuleConclusion } from '@hephaisto/core/incident/reinvestigate';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { concludeByRules } from '../../investigate/diagnostician.ts';
import { createUnrecordedReader } from '../../investigate/unrecorded.ts';
import { createYield } from '../event-loop-turns.ts';
import { type HeardOf, heardOf, lockHeardOf, ruleConclusions } from './reopen-rows.ts';
import type { InvestigateConfig, RunDeps } from './run.ts';
import { readSubject } from './subject.ts';

/** When an escalated incident may be investigated again without being asked. */
export interface ReopenDeps {
  /** The mode in force; nothing is investigated while it is `off`. */
  readonly agentMode: () => string | Promise<string>;
  /** The shortest time between an investigation and the next; each further one waits longer. */
  readonly pauseMs: number;
}

/** Incidents that are compared with the cluster at one time: each costs the reads of an investigation. */
const BATCH_SIZE = 4;

/** Times that a comparison without a result lengthens the pause until the next. */
const MAX_LENGTHENINGS = 2;

interface Compared {
  readonly times: number;
  /** Of the process's monotonic clock. */
  readonly untilMs: number;
}

/** Looks for escalated incidents of which another investigation would find something else, and sends them back to be investigated. */
export function createReopening(
  deps: RunDeps & { readonly reopen: ReopenDeps },
  config: InvestigateConfig,
): (signal: AbortSignal) => Promise<number> {
  const compared = new Map<string, Compared>();
  const { pauseMs } = deps.reopen;

  /** Comparing costs as many reads as an investigation, so one that brought nothing is not made again at the next signal. */
  function rest(id: string): void {
    const times = (compared.get(id)?.times ?? 0) + 1;
    const pause = pauseMs * PAUSE_FACTOR ** Math.min(times - 1, MAX_LENGTHENINGS);
    compared.set(id, { times, untilMs: deps.clock.monotonicMs() + pause });
  }

  function resting(): readonly string[] {
    const now = deps.clock.monotonicMs();
    const forgetMs = pauseMs * PAUSE_FACTOR ** (MAX_LENGTHENINGS + 1);
    for (const [id, { untilMs }] of compared) if (untilMs + forgetMs < now) compared.delete(id);
    return [...compared].filter(([, { untilMs }]) => untilMs > now).map(([id]) => id);
  }

  async function present(heard: HeardOf, signal: AbortSignal): Promise<RuleConclusion | undefined> {
    const reader = deps.readerOf(heard.cluster);
    const subject = await readSubject(deps.db, heard.id, deps.clock.now());
    if (reader === undefined || subject === undefined) return undefined;
    const stop = new AbortController();
    const cancel = deps.timers.after(config.callTimeoutMs * 2, () => stop.abort(new Error('took too long')));
    const within = AbortSignal.any([signal, stop.signal]);
    try {
      const recorder = createUnrecordedReader(reader, deps.tools, config.deniedNamespaces, within, createYield(deps));
      const { findings } = await concludeByRules(subject, recorder, within);
      const primary = findings.find((finding) => finding.primary);
      return primary?.rule === undefined ? undefined : { ...primary, rule: primary.rule };
    } finally {
      cancel();
    }
  }

  async function consider(heard: HeardOf, signal: AbortSignal): Promise<boolean> {
    const { reinvestigations, newKinds } = heard;
    const verdict = judgeReinvestigation({
      reinvestigations,
      newKinds,
      concluded: await ruleConclusions(deps.db, heard.investigation),
      present: await present(heard, signal),
    });
    if (verdict.kind === 'leave') return false;
    const moved = await deps.db.transaction(async (tx) => {
      if (!(await lockHeardOf(tx, pauseMs, heard))) return false;
      const result = await deps.incidents.transition(tx, {
        incidentId: heard.id,
        edge: 'I17',
        reason: verdict.reason,
        actor: SERVICE_PRINCIPALS.investigator,
        origin: 'core',
        data: { message: verdict.message, reinvestigation: reinvestigations + 1 },
      });
      return result.kind !== 'refused';
    });
    await deps.faults.hit('investigate:reopened');
    return moved;
  }

  return async (signal) => {
    const found = await heardOf(deps.db, pauseMs, resting(), BATCH_SIZE);
    if (found.length === 0 || (await deps.reopen.agentMode()) === 'off') return 0;
    let moved = 0;
    for (const heard of found) {
      if (signal.aborted) break;
      try {
        if (await consider(heard, signal)) moved += 1;
        else rest(heard.id);
      } catch (error: unknown) {
        rest(heard.id);
        if (!signal.aborted)
          deps.log.warn('an incident could not be compared with the cluster', { incident: heard.id, error });
      }
    }
    return moved;
  };
}
