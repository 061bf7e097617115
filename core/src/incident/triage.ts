import type { Severity } from '../signal/kind.ts';
import type { EscalationReason, SuppressedReason } from './machine.ts';

/** What triage knows of an incident that has just been opened. */
export interface TriageFacts {
  readonly isSelf: boolean;
  /** What an incident about incidents is about. */
  readonly meta: 'storm' | 'flap' | undefined;
  readonly severity: Severity;
  readonly namespace: string | undefined;
  readonly clusterKnown: boolean;
  /** `off`: nothing is investigated. */
  readonly agentMode: string;
  /** An older open incident of the same owner and family. */
  readonly duplicateOf: { readonly id: string; readonly number: number } | undefined;
  /** Our own action that was carried out on the workload a moment ago and explains a passing disturbance. */
  readonly selfCausedBy: string | undefined;
  readonly maintenance: { readonly name: string } | undefined;
  /** Incidents of this fingerprint within the flap window, this one included. */
  readonly openedInFlapWindow: number;
}

export type TriageVerdict =
  | {
      readonly kind: 'suppress';
      readonly suppressedReason: SuppressedReason;
      readonly reason: TriageReason;
      readonly message: string;
      readonly absorbedBy?: string;
    }
  | {
      readonly kind: 'escalate';
      readonly escalationReason: EscalationReason;
      readonly reason: TriageReason;
      readonly message: string;
    }
  | { readonly kind: 'investigate'; readonly reason: TriageReason; readonly message: string };

export const TRIAGE_REASONS = [
  'storm-incident',
  'flap-incident',
  'about-ourselves',
  'duplicate',
  'self-caused',
  'maintenance-window',
  'flapping',
  'agent-off',
  'unknown-cluster',
  'worth-a-look',
] as const;
export type TriageReason = (typeof TRIAGE_REASONS)[number];

/** Why the next step is what it is. What forbids acting is asked before what saves work. */
export function triage(facts: TriageFacts, limits: { readonly flapLimit: number }): TriageVerdict {
  if (facts.meta === 'storm')
    return escalate('Storm', 'storm-incident', 'many incidents at once: a person must look at the whole');
  if (facts.meta === 'flap')
    return escalate('FlapMeta', 'flap-incident', 'a fault that keeps coming and going needs a person');
  if (facts.isSelf)
    return escalate('SelfSignal', 'about-ourselves', 'it is about hephaisto itself, which never repairs itself');
  return suppression(facts, limits) ?? outlook(facts);
}

function suppression(facts: TriageFacts, limits: { readonly flapLimit: number }): TriageVerdict | undefined {
  if (facts.duplicateOf !== undefined) {
    const message = `incident ${facts.duplicateOf.number} is about the same owner and family of faults`;
    return {
      kind: 'suppress',
      suppressedReason: 'Duplicate',
      reason: 'duplicate',
      message,
      absorbedBy: facts.duplicateOf.id,
    };
  }
  if (facts.selfCausedBy !== undefined) {
    return suppress(
      'SelfCaused',
      'self-caused',
      `our own action ${facts.selfCausedBy} disturbed it a moment ago; its checks are running`,
    );
  }
  if (facts.maintenance !== undefined) {
    return suppress('Maintenance', 'maintenance-window', `the maintenance window ${facts.maintenance.name} covers it`);
  }
  if (facts.openedInFlapWindow > limits.flapLimit) {
    return suppress(
      'Flapping',
      'flapping',
      `it is the ${facts.openedInFlapWindow}th incident of this fault within the window`,
    );
  }
  return undefined;
}

function outlook(facts: TriageFacts): TriageVerdict {
  if (facts.agentMode === 'off')
    return escalate('AgentOff', 'agent-off', 'the agent is switched off: incidents are recorded and told');
  if (!facts.clusterKnown) {
    return escalate(
      'ObserveOnly',
      'unknown-cluster',
      'it names a cluster that hephaisto has no access to: nothing can be read or done',
    );
  }
  return { kind: 'investigate', reason: 'worth-a-look', message: 'nothing speaks against looking into it' };
}

function suppress(suppressedReason: SuppressedReason, reason: TriageReason, message: string): TriageVerdict {
  return { kind: 'suppress', suppressedReason, reason, message };
}

function escalate(escalationReason: EscalationReason, reason: TriageReason, message: string): TriageVerdict {
  return { kind: 'escalate', escalationReason, reason, message };
}

export interface MaintenanceWindow {
  readonly name: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly from: Date;
  readonly to: Date;
}

/** The window that covers a namespace at an instant. Something without a namespace is covered only by a window for all of them. */
export function windowAt(
  windows: readonly MaintenanceWindow[],
  namespace: string | undefined,
  at: Date,
): MaintenanceWindow | undefined {
  return windows.find(
    (window) =>
      window.from <= at &&
      at < window.to &&
      (window.namespaces.length === 0 || (namespace !== undefined && window.namespaces.includes(namespace))),
  );
}
