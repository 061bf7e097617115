import type { IncidentReport } from '@hephaisto/core/report/incident';

/** What a story's end looks like from outside, in the words of the expectation; every field comes from the API's report. */
export interface SeenIncident {
  readonly id: string;
  readonly number: number;
  readonly workload: { readonly kind: string; readonly name: string };
  readonly state: string;
  readonly reason?: string;
  readonly subReason?: string;
  readonly resolvedBy?: string;
  readonly certainty: string;
  readonly statement: string;
  readonly cause: Readonly<Record<string, unknown>>;
  readonly excerpts: readonly string[];
  readonly causedBy?: string;
  readonly action?: {
    readonly type: string;
    readonly state: string;
    readonly params: Readonly<Record<string, unknown>>;
  };
  /** The newest action's predicates, each with the result of its last measurement. */
  readonly verifications: readonly { readonly predicate: string; readonly result: string }[];
  readonly planReason?: string;
  readonly commands: readonly string[];
}

export function seenIncident(report: IncidentReport): SeenIncident {
  const [investigation] = report.investigations;
  const primary = investigation?.findings.find((finding) => finding.primary);
  const action = newestAction(report);
  return {
    id: report.id,
    number: report.number,
    workload: { kind: report.ownerKind ?? '', name: report.ownerName ?? '' },
    state: report.state,
    ...optional('reason', report.escalationReason),
    ...optional('subReason', report.rollbackSubReason),
    ...optional('resolvedBy', report.resolutionSource),
    certainty: primary?.certainty ?? 'not_established',
    statement: primary?.statement ?? '',
    cause: primary?.cause ?? {},
    excerpts: (primary?.evidence ?? []).filter((entry) => entry.accepted).map((entry) => entry.excerpt),
    ...optional('causedBy', report.causedBy?.id),
    ...(action === undefined ? {} : { action: { type: action.type, state: action.state, params: action.params } }),
    verifications: lastMeasurements(report),
    ...optional('planReason', report.plan?.reason),
    commands: report.plan?.commands ?? [],
  };
}

function newestAction(report: IncidentReport): IncidentReport['actions'][number] | undefined {
  return report.actions.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0];
}

function optional<Key extends string>(key: Key, value: string | null | undefined): { [K in Key]?: string } {
  return (value === null || value === undefined ? {} : { [key]: value }) as { [K in Key]?: string };
}

function lastMeasurements(report: IncidentReport): readonly { predicate: string; result: string }[] {
  const action = newestAction(report);
  const last = new Map<string, string>();
  for (const check of action?.verifications ?? []) {
    if (check.result === null) continue;
    for (const entry of check.predicates) last.set(entry.predicate, entry.verdict.toLowerCase());
  }
  return [...last].map(([predicate, result]) => ({ predicate, result }));
}

/** One write that the cluster's own record of requests holds under the operator's identity. */
export interface SeenWrite {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly dryRun: boolean;
  readonly status: number;
}

/** A signal that opened nothing, as the API lists it. */
export interface SeenBenign {
  readonly source: 'watch' | 'alertmanager';
  /** What the signal is about, as `Kind/name` (owner chain, node) or the alert's name. */
  readonly about: readonly string[];
  readonly why: string;
}
