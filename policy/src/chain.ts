import type { Check } from './check.ts';
import { blastRadiusFraction } from './checks/blast-radius-fraction.ts';
import { blastRadiusPods } from './checks/blast-radius-pods.ts';
import { budget } from './checks/budget.ts';
import { certaintyNotProven } from './checks/certainty-not-proven.ts';
import { certaintyTooLow } from './checks/certainty-too-low.ts';
import { clusterHealthFloor } from './checks/cluster-health-floor.ts';
import { cooldown } from './checks/cooldown.ts';
import { emergencyStop } from './checks/emergency-stop.ts';
import { foreignCluster } from './checks/foreign-cluster.ts';
import { gitOpsOwner } from './checks/git-ops-owner.ts';
import { gitOpsSelfHeal } from './checks/git-ops-self-heal.ts';
import { kindNotEnabled } from './checks/kind-not-enabled.ts';
import { lastReadyReplica } from './checks/last-ready-replica.ts';
import { maintenanceWindow } from './checks/maintenance-window.ts';
import { modeAsks } from './checks/mode-asks.ts';
import { modeTooLow } from './checks/mode-too-low.ts';
import { namespaceLabel } from './checks/namespace-label.ts';
import { namespaceNotAllowed } from './checks/namespace-not-allowed.ts';
import { notReversible } from './checks/not-reversible.ts';
import { outOfBounds } from './checks/out-of-bounds.ts';
import { podTooYoung } from './checks/pod-too-young.ts';
import { protectedObject } from './checks/protected-object.ts';
import { quarantine } from './checks/quarantine.ts';
import { revisionInFlight } from './checks/revision-in-flight.ts';
import { rolloutInFlight } from './checks/rollout-in-flight.ts';
import { runawayLatch } from './checks/runaway-latch.ts';
import { selfIncident } from './checks/self-incident.ts';
import { selfProtection } from './checks/self-protection.ts';
import { systemNamespace } from './checks/system-namespace.ts';
import { ungrounded } from './checks/ungrounded.ts';
import { upstreamCause } from './checks/upstream-cause.ts';
import { GATES, type Gate } from './gate.ts';

/** The question behind each gate. A gate without one does not compile. */
export const CHECKS: Readonly<Record<Gate, Check>> = {
  ForeignCluster: foreignCluster,
  SelfProtection: selfProtection,
  SelfIncident: selfIncident,
  UpstreamCause: upstreamCause,
  NamespaceNotAllowed: namespaceNotAllowed,
  NamespaceLabel: namespaceLabel,
  SystemNamespace: systemNamespace,
  KindNotEnabled: kindNotEnabled,
  ProtectedObject: protectedObject,
  GitOpsOwner: gitOpsOwner,
  GitOpsSelfHeal: gitOpsSelfHeal,
  EmergencyStop: emergencyStop,
  ModeTooLow: modeTooLow,
  ModeAsks: modeAsks,
  RunawayLatch: runawayLatch,
  Quarantine: quarantine,
  Ungrounded: ungrounded,
  CertaintyTooLow: certaintyTooLow,
  CertaintyNotProven: certaintyNotProven,
  RevisionInFlight: revisionInFlight,
  RolloutInFlight: rolloutInFlight,
  PodTooYoung: podTooYoung,
  MaintenanceWindow: maintenanceWindow,
  ClusterHealthFloor: clusterHealthFloor,
  BlastRadiusPods: blastRadiusPods,
  BlastRadiusFraction: blastRadiusFraction,
  LastReadyReplica: lastReadyReplica,
  OutOfBounds: outOfBounds,
  Cooldown: cooldown,
  Budget: budget,
  NotReversible: notReversible,
};

/** The checklist in order: who and where first, then how sure, then the state of the world, then how much. */
export const CHAIN: readonly (readonly [Gate, Check])[] = GATES.map((gate) => [gate, CHECKS[gate]]);
