import { specFields } from '@hephaisto/core/action/catalogue';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { canonicalJson } from '@hephaisto/core/canonical-json';
import type { Sql } from '@hephaisto/core/ports/database';
import type { SwitchVerdict } from '@hephaisto/core/switches/arms';
import { type ModeLimit, safestMode } from '@hephaisto/core/switches/modes';
import { type Decision, decide } from '@hephaisto/policy/decide';
import { known, type PolicyInput } from '@hephaisto/policy/input';
import { windowAt } from '@hephaisto/policy/maintenance';
import { ruleFor, ruleMode } from '@hephaisto/policy/policy-file';
import type { ActionRow } from './action-row.ts';
import { type ClusterFacts, gatherClusterFacts } from './cluster-facts.ts';
import { readClusterHealth } from './cluster-health.ts';
import type { ActingDeps } from './deps.ts';
import { sha256 } from './digest.ts';
import type { LoadedPolicy } from './policy-source.ts';
import { gatherRecordFacts } from './record-facts.ts';

/** Hashes of the spec fields that an action and its gates read: all of them, and those that the finding rests on. */
export interface SpecHashes {
  readonly spec: string;
  readonly basis: string;
  /** The fields themselves, so that what moved can be shown. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Everything that was read and decided about one action at one moment. */
export interface Judgement {
  readonly request: AnyActionRequest;
  readonly facts: ClusterFacts;
  readonly input: PolicyInput;
  readonly decision: Decision;
  readonly loaded: LoadedPolicy;
  /** Absent when the target could not be read. */
  readonly hashes: SpecHashes | undefined;
  readonly mode: ModeLimit;
}

const NOBODY: PolicyInput['approval'] = { by: [], covers: [] };

/** Reads the world and our rows, and asks the policy. Changes nothing. */
export async function judge(
  deps: Pick<ActingDeps, 'db' | 'reader' | 'policy' | 'switches' | 'clock' | 'selfNamespaces'>,
  action: ActionRow & { readonly request: AnyActionRequest },
  options: { readonly approval?: PolicyInput['approval']; readonly undo?: boolean } = {},
): Promise<Judgement> {
  const { request } = action;
  const facts = await gatherClusterFacts(deps.reader, request, deps.clock.now());
  const loaded = deps.policy.current();
  const input = await policyInput(deps, deps.db, action, facts, loaded, options);
  return {
    request,
    facts,
    input,
    decision: decide(input),
    loaded,
    hashes: facts.target.known ? hashesOf(request, facts.target.value) : undefined,
    mode: input.mode.setBy,
  };
}

export function hashesOf(
  request: AnyActionRequest,
  fresh: (ClusterFacts['target'] & { known: true })['value'],
): SpecHashes {
  const fields = specFields(request, fresh);
  return {
    spec: sha256(canonicalJson(fields)),
    basis: sha256(canonicalJson(fields.basis)),
    fields: { ...fields.basis, ...fields.moving },
  };
}

/** The same judgement with what the switches and the policy file say now. Everything else in it is as it was read. */
export function judgeAgain(judged: Judgement, verdict: SwitchVerdict, loaded: LoadedPolicy): Judgement {
  const input = { ...judged.input, ...limitsOf(verdict, loaded.policy, judged.request) };
  return { ...judged, input, decision: decide(input), mode: input.mode.setBy };
}

function limitsOf(
  verdict: SwitchVerdict,
  policy: LoadedPolicy['policy'],
  request: AnyActionRequest,
): Pick<PolicyInput, 'rule' | 'mode' | 'emergencyStop' | 'runawayLatch'> {
  const rule = ruleFor(policy, request.target.namespace);
  const limits: ModeLimit[] = [...verdict.limits];
  if (rule !== undefined)
    limits.push({
      arm: 'policy',
      mode: ruleMode(rule, request.type),
      why: `the policy's rule \`${rule.match}\` allows no more`,
    });
  const setBy = safestMode(limits);
  return {
    rule,
    mode: { effective: setBy.mode, setBy },
    emergencyStop: verdict.emergencyStop,
    runawayLatch: verdict.runawayLatch,
  };
}

async function policyInput(
  deps: Pick<ActingDeps, 'switches' | 'selfNamespaces'>,
  sql: Sql,
  action: ActionRow & { readonly request: AnyActionRequest },
  facts: ClusterFacts,
  { policy }: LoadedPolicy,
  options: { readonly approval?: PolicyInput['approval']; readonly undo?: boolean },
): Promise<PolicyInput> {
  const { request } = action;
  const record = await gatherRecordFacts(sql, action);
  const verdict = await deps.switches.verdict(sql, request.type);
  return {
    undo: options.undo === true,
    request,
    now: record.now,
    selfNamespaces: [...deps.selfNamespaces, ...policy.selfNamespaces],
    protectedLabels: policy.protectedLabels,
    healthLimits: policy.clusterHealth,
    ...limitsOf(verdict, policy, request),
    incident: record.incident,
    finding: record.finding,
    ...facts.policy,
    clusterHealth: await readClusterHealth(sql, action.cluster),
    maintenance: known(windowAt(policy.maintenance, request.target.namespace, record.now)),
    quarantine: known(record.quarantine),
    cooldownUntil: known(record.cooldownUntil),
    budgets: known(record.budgets),
    approval: options.approval ?? NOBODY,
  };
}
