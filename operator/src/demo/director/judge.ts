import { parseQuantity } from '@hephaisto/core/facts/quantity';
import type {
  Expected,
  ExpectedCause,
  ExpectedIncident,
  ExpectedProposal,
  ExpectedWrite,
  FinalState,
} from '../stories/expected.ts';
import type { SeenBenign, SeenIncident, SeenWrite } from './seen.ts';

export interface Seen {
  readonly incidents: readonly SeenIncident[];
  readonly writes: readonly SeenWrite[];
  readonly benign: readonly SeenBenign[];
}

export interface Judgement {
  readonly verdict: 'as-told' | 'not-as-told';
  /** One sentence a difference: what was expected, what was found. */
  readonly differences: readonly string[];
}

/** Compares what a story promised with what came of it. Pure; an incident that nothing promised is a difference too. */
export function judge(expected: Expected, seen: Seen): Judgement {
  const differences = [
    ...expected.incidents.flatMap((incident) => judgeIncident(incident, expected, seen)),
    ...surplusIncidents(expected, seen),
    ...judgeWrites(expected.writes, seen.writes),
    ...judgeBenign(expected, seen),
  ];
  return { verdict: differences.length === 0 ? 'as-told' : 'not-as-told', differences };
}

/** The newest incident of the workload that the key stands for. */
export function findIncident(expected: ExpectedIncident, seen: readonly SeenIncident[]): SeenIncident | undefined {
  return seen
    .filter(({ workload }) => workload.kind === expected.workload.kind && workload.name === expected.workload.name)
    .toSorted((a, b) => b.number - a.number)[0];
}

function surplusIncidents(expected: Expected, seen: Seen): readonly string[] {
  const found = new Set(expected.incidents.map((incident) => findIncident(incident, seen.incidents)?.id));
  return seen.incidents
    .filter((incident) => !found.has(incident.id))
    .map(
      ({ number, workload, state }) =>
        `expected no further incident, found ${number} of ${workload.kind} ${workload.name} (${state})`,
    );
}

function judgeIncident(expected: ExpectedIncident, all: Expected, seen: Seen): readonly string[] {
  const incident = findIncident(expected, seen.incidents);
  const name = `incident \`${expected.key}\``;
  if (incident === undefined)
    return [`expected an ${name} of ${expected.workload.kind} ${expected.workload.name}, found none`];
  return [
    ...differ(`${name}: certainty`, expected.certainty, incident.certainty),
    ...judgeCause(name, expected.cause, incident, all, seen),
    ...judgeProposal(name, expected.proposal, incident),
    ...judgeFinal(name, expected.final, incident),
    ...expected.verifications.flatMap((check) => judgeCheck(name, check, incident)),
  ];
}

function differ(what: string, expected: unknown, found: unknown): readonly string[] {
  return expected === found ? [] : [`expected ${what} \`${String(expected)}\`, found \`${String(found)}\``];
}

type Record_ = Readonly<Record<string, unknown>>;

function judgeCause(
  name: string,
  expected: ExpectedCause,
  incident: SeenIncident,
  all: Expected,
  seen: Seen,
): readonly string[] {
  const cause = incident.cause;
  const kind = differ(`${name}: cause`, expected.kind, cause.kind);
  if (kind.length > 0) return kind;
  switch (expected.kind) {
    case 'rollout-change': {
      const change = cause.decisive as Record_ | undefined;
      return [
        ...differ(`${name}: symptom`, expected.symptom, cause.symptom),
        ...differ(`${name}: revision`, expected.revision, cause.revision),
        ...differ(`${name}: previous revision`, expected.previousRevision, cause.previousRevision),
        ...differ(`${name}: changed field`, expected.field, change?.path),
        ...differ(`${name}: old value`, expected.from, change?.from),
        ...differ(`${name}: new value`, expected.to, change?.to),
      ];
    }
    case 'memory-limit-too-low':
      return [
        ...differ(`${name}: container`, expected.container, cause.container),
        ...differ(`${name}: limit`, expected.limitBytes, cause.limitBytes),
      ];
    case 'stale-local-state':
    case 'crash-application':
      return incident.excerpts.some((excerpt) => new RegExp(expected.line).test(excerpt))
        ? []
        : [`expected ${name} to cite a line like \`${expected.line}\`, found ${JSON.stringify(incident.excerpts)}`];
    case 'one-bad-replica':
      return [];
    case 'image-missing':
      return differ(`${name}: image`, expected.image, cause.image);
    case 'unschedulable': {
      const node = cause.largestNode as { name?: string; allocatable?: number } | undefined;
      return [
        ...differ(`${name}: resource`, expected.resource, cause.resource),
        ...differ(`${name}: requested`, parseQuantity(expected.requested), cause.requested),
        ...judgeNode(name, expected.largestNode, node),
      ];
    }
    case 'config-missing':
      return [
        ...differ(`${name}: source`, expected.source, cause.source),
        ...differ(`${name}: name`, expected.name, cause.name),
        ...differ(`${name}: key`, expected.key, cause.key),
      ];
    case 'upstream': {
      const of = all.incidents.find((other) => other.key === expected.of);
      const cause_ = of === undefined ? undefined : findIncident(of, seen.incidents);
      return [
        ...differ(`${name}: service`, expected.service, (cause.service as Record_ | undefined)?.name),
        ...differ(`${name}: caused by`, cause_?.id, incident.causedBy),
      ];
    }
  }
}

/** The node is named, or its size is, since several nodes may be the largest. */
function judgeNode(
  name: string,
  expected: string,
  node: { name?: string; allocatable?: number } | undefined,
): readonly string[] {
  const size = parseQuantity(expected);
  const same = node?.name === expected || (size !== undefined && node?.allocatable === size);
  return same ? [] : [`expected ${name} to name \`${expected}\` as the largest node, found ${JSON.stringify(node)}`];
}

function judgeProposal(name: string, expected: ExpectedProposal, incident: SeenIncident): readonly string[] {
  const { action, commands } = incident;
  if (expected.kind === 'none') {
    const command = expected.command;
    return [
      ...differ(`${name}: action`, undefined, action?.type),
      ...(command === undefined || commands.some((line) => new RegExp(command).test(line))
        ? []
        : [`expected ${name} to suggest a command like \`${command}\`, found ${JSON.stringify(commands)}`]),
    ];
  }
  const type = differ(`${name}: action`, expected.kind, action?.type);
  if (type.length > 0 || action === undefined) return type;
  if (expected.kind === 'RollbackWorkload') {
    return [
      ...differ(`${name}: from revision`, expected.fromRevision, action.params.fromRevision),
      ...differ(`${name}: to revision`, expected.toRevision, action.params.toRevision),
    ];
  }
  if (expected.kind === 'PatchResources') {
    const limit = Number(action.params.memoryLimitBytes);
    const least = parseQuantity(expected.atLeast) ?? Number.NaN;
    return [
      ...differ(`${name}: container`, expected.container, action.params.container),
      ...(limit >= least
        ? []
        : [`expected ${name} to raise the limit to at least ${expected.atLeast}, found ${limit} bytes`]),
    ];
  }
  return [];
}

function judgeFinal(name: string, expected: FinalState, incident: SeenIncident): readonly string[] {
  const state = differ(`${name}: final state`, expected.state, incident.state);
  if (state.length > 0) return [`${state[0]} (${incident.reason ?? incident.planReason ?? 'no reason'})`];
  if (expected.state === 'Resolved') return differ(`${name}: resolved by`, expected.by, incident.resolvedBy);
  return [
    ...differ(`${name}: reason`, expected.reason, incident.reason),
    ...(expected.subReason === undefined
      ? []
      : differ(`${name}: what became of the undo`, expected.subReason, incident.subReason)),
  ];
}

function judgeCheck(
  name: string,
  check: ExpectedIncident['verifications'][number],
  incident: SeenIncident,
): readonly string[] {
  const found = incident.verifications.find((entry) => entry.predicate === check.predicate);
  return differ(`${name}: verification ${check.predicate}`, check.result, found?.result);
}

/** Sets, not sequences: a repeated dry run of a revised proposal is the same write. */
function judgeWrites(expected: readonly ExpectedWrite[], seen: readonly SeenWrite[]): readonly string[] {
  const wanted = new Set(expected.map(writeKey));
  const found = new Set(seen.map(writeKey));
  return [
    ...[...wanted]
      .filter((key) => !found.has(key))
      .map((key) => `expected the write \`${key}\`, found it was never sent`),
    ...[...found].filter((key) => !wanted.has(key)).map((key) => `expected no other write, found \`${key}\``),
  ];
}

function writeKey(write: ExpectedWrite | SeenWrite): string {
  const what = write.subresource === undefined ? write.resource : `${write.resource}/${write.subresource}`;
  return `${write.verb} ${what}${write.dryRun ? ' (dry run)' : ''}`;
}

function judgeBenign(expected: Expected, seen: Seen): readonly string[] {
  return expected.benign
    .filter(
      (stimulus) =>
        !seen.benign.some(
          (signal) => signal.source === stimulus.source && signal.why !== '' && signal.about.includes(stimulus.about),
        ),
    )
    .map(
      (stimulus) =>
        `expected \`${stimulus.name}\` to be listed as seen and benign, found no such signal about ${stimulus.about}`,
    );
}
