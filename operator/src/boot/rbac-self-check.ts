import { isNeeded, kindsNeeding, probeText, type RightProbe, rightProbes } from '@hephaisto/core/action/rbac-matrix';
import type { ActionType } from '@hephaisto/core/action/types';
import { isProtectedNamespace } from '@hephaisto/policy/namespaces';
import { type PolicyFile, ruleFor } from '@hephaisto/policy/policy-file';
import type { AccessAnswer, AskAccess } from '../adapters/kube/access-review.ts';

/** Questions under way at once: enough to be quick, few enough for a shared API server. */
const ABREAST = 16;

export interface AskedRight {
  readonly probe: RightProbe;
  readonly answer: AccessAnswer;
  readonly needed: boolean;
}

/** A right that an enabled kind of action needs and that is not held. */
export interface MissingRight {
  readonly probe: RightProbe;
  readonly message: string;
  readonly lost: string;
  /** The rule to add to the Role of the namespace, as YAML in one line. */
  readonly rule: string;
}

export interface RbacReport {
  /** Every question in the order asked, with its answer: the matrix to print. */
  readonly matrix: readonly AskedRight[];
  /** Held, and needed by nothing that is enabled. */
  readonly excess: readonly AskedRight[];
  readonly unanswered: readonly AskedRight[];
  readonly missing: readonly MissingRight[];
}

/**
 * Compares what this identity may do with what the enabled kinds of action need, in every namespace and across all. Changes nothing; asks only about ourselves.
 */
export async function checkRights(
  ask: AskAccess,
  namespaces: readonly string[],
  policy: PolicyFile,
  selfNamespaces: readonly string[],
): Promise<RbacReport> {
  const probes = ['', ...namespaces].flatMap(rightProbes);
  const answers = await askAll(ask, probes);
  const enabledIn = (namespace: string): readonly ActionType[] =>
    isProtectedNamespace(namespace, [...selfNamespaces, ...policy.selfNamespaces])
      ? []
      : (ruleFor(policy, namespace)?.kinds ?? []);
  const matrix = probes.map((probe, index): AskedRight => {
    const answer = answers[index] ?? { kind: 'unanswered' as const, message: 'the question was not asked' };
    return { probe, answer, needed: isNeeded(probe, enabledIn(probe.namespace)) };
  });
  return {
    matrix,
    excess: matrix.filter(({ answer, needed }) => answer.kind === 'answered' && answer.allowed && !needed),
    unanswered: matrix.filter(({ answer }) => answer.kind === 'unanswered'),
    missing: matrix
      .filter(({ answer, needed }) => answer.kind === 'answered' && !answer.allowed && needed)
      .map(({ probe }) => missingRight(probe, enabledIn(probe.namespace))),
  };
}

async function askAll(ask: AskAccess, probes: readonly RightProbe[]): Promise<readonly AccessAnswer[]> {
  const answers: AccessAnswer[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    for (let index = next++; index < probes.length; index = next++) {
      const probe = probes[index];
      if (probe !== undefined) answers[index] = await ask(probe);
    }
  }
  await Promise.all(Array.from({ length: Math.min(ABREAST, probes.length) }, worker));
  return answers;
}

function missingRight(probe: RightProbe, enabled: readonly ActionType[]): MissingRight {
  const kinds = kindsNeeding(probe, enabled).join(', ');
  return {
    probe,
    message: `may not ${probeText(probe)}`,
    lost: `${kinds} cannot be carried out in namespace ${probe.namespace}`,
    rule: `{apiGroups: ["${probe.group}"], resources: ["${probe.resource}"], verbs: ["${probe.verb}"]}`,
  };
}

export type RbacVerdict =
  | { readonly kind: 'fits' }
  /** The process must not start: it could do more than it is meant to, or nobody can tell. */
  | { readonly kind: 'refused'; readonly reason: 'over-privileged' | 'unanswerable'; readonly message: string };

const SHOWN = 8;

/** What the boot makes of the report. Missing rights refuse nothing: they only cost what they are for. */
export function judgeRights({ excess, unanswered }: RbacReport): RbacVerdict {
  if (excess.length > 0)
    return {
      kind: 'refused',
      reason: 'over-privileged',
      message: `expected no right beyond what the enabled actions need, found: ${listed(excess)}; take these from the service account, then start again`,
    };
  if (unanswered.length > 0)
    return {
      kind: 'refused',
      reason: 'unanswerable',
      message: `expected the API server to say what this identity may do, found no answer to: ${listed(unanswered)}; start again when it answers`,
    };
  return { kind: 'fits' };
}

function listed(rights: readonly AskedRight[]): string {
  const shown = rights.slice(0, SHOWN).map(({ probe }) => probeText(probe));
  return rights.length > SHOWN ? `${shown.join('; ')}; and ${rights.length - SHOWN} more` : shown.join('; ');
}

/** The matrix as lines: one a right that is held, needed or unanswered; what is neither is counted. */
export function matrixLines({ matrix }: RbacReport): readonly string[] {
  const told = matrix.filter(({ answer, needed }) => needed || answer.kind === 'unanswered' || answer.allowed);
  const lines = told.map(
    ({ probe, answer, needed }) => `${wordOf(answer)}${needed ? ' (needed)' : ''}: ${probeText(probe)}`,
  );
  return [...lines, `denied, as they should be: ${matrix.length - told.length} of ${matrix.length}`];
}

function wordOf(answer: AccessAnswer): string {
  if (answer.kind === 'unanswered') return 'unanswered';
  return answer.allowed ? 'allowed' : 'missing';
}
