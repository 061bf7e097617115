import { ACTION_TYPES, type ActionType } from '@hephaisto/core/action/types';
import { canonicalJson } from '@hephaisto/core/canonical-json';
import { duration } from '@hephaisto/core/config/duration';
import { namespaceName } from '@hephaisto/core/config/namespace-name';
import { parseQuantity } from '@hephaisto/core/facts/quantity';
import { AGENT_MODES } from '@hephaisto/core/switches/modes';
import { z } from 'zod';
import { maintenanceWindow } from './maintenance-schema.ts';
import { coversPattern, isProtectedNamespace, matchesNamespace, namespacePattern } from './namespaces.ts';

const bytes = z.string().transform((text, context) => {
  const value = parseQuantity(text);
  if (value !== undefined && Number.isSafeInteger(value) && value > 0) return value;
  context.addIssue({ code: 'custom', message: 'expected an amount of memory such as `512Mi`' });
  return z.NEVER;
});

const millicores = z.string().transform((text, context) => {
  const value = parseQuantity(text);
  if (value !== undefined && value > 0) return Math.ceil(value * 1000);
  context.addIssue({ code: 'custom', message: 'expected an amount of cpu such as `500m` or `2`' });
  return z.NEVER;
});

const bounds = z.strictObject({
  memory: z
    .strictObject({ max: bytes.optional(), maxFactor: z.number().gt(1).max(16).default(2) })
    .prefault({})
    .describe(
      'PatchResources: the largest limit, absolute and as a multiple of the present one. Without `max` no memory is changed.',
    ),
  cpu: z
    .strictObject({ max: millicores.optional(), maxFactor: z.number().gt(1).max(16).default(2) })
    .prefault({})
    .describe('PatchResources: the same for cpu.'),
  replicas: z
    .strictObject({ min: z.int().positive().optional(), max: z.int().positive().optional() })
    .prefault({})
    .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
      error: 'expected `min` of at most `max`',
      path: ['min'],
    })
    .describe('ScaleWorkload: fewest and most replicas. Without both no count is changed.'),
});

const LABEL_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/;
const LABEL_PREFIX = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** A label that no object can carry protects nothing. */
function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/');
  const [prefix, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  const isPrefix = prefix === undefined || (prefix.length <= 253 && LABEL_PREFIX.test(prefix));
  return isPrefix && name.length <= 63 && LABEL_NAME.test(name);
}

function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && LABEL_NAME.test(value));
}

const labelKey = z.string().refine(isLabelKey, { error: 'expected the key of a label such as `example.com/tier`' });
const labelValue = z.string().refine(isLabelValue, { error: 'expected the value of a label such as `critical`' });

const namespaceRule = z.strictObject({
  match: namespacePattern.describe(
    'The first rule that matches a namespace is its rule; without one nothing is done in it.',
  ),
  kinds: z.array(z.enum(ACTION_TYPES)).default([]).describe('Kinds of action that may be done here.'),
  mode: z.enum(AGENT_MODES).default('approve').describe('The most that is done here without being raised elsewhere.'),
  kindModes: z
    .partialRecord(z.enum(ACTION_TYPES), z.enum(AGENT_MODES))
    .default({})
    .describe('The same for single kinds.'),
  quorum: z
    .union([z.literal(1), z.literal(2)])
    .default(1)
    .describe('How many different people must approve. Accounts of one person count once.'),
  serviceVotes: z
    .boolean()
    .default(false)
    .describe('Whether a service may vote too. Its vote counts as that of the person who made the service.'),
  bounds: bounds.prefault({}),
  podAge: duration('120s', { max: '1d' }).describe('Pods younger than this are left alone.'),
  cooldown: duration('15m', { max: '1d' }).describe('Time after an action in which its workload is left alone.'),
  maxPods: z.int().positive().default(10).describe('Most pods that one action may disturb at once.'),
  maxFraction: z
    .number()
    .gt(0)
    .max(1)
    .default(0.5)
    .describe('Largest part of a workload that one action may disturb at once.'),
});
export type NamespaceRule = z.output<typeof namespaceRule>;

const policyObject = z.strictObject({
  version: z.literal(1),
  note: z.string().max(2000).optional().describe('What a reader should know of this policy; shown beside it.'),
  namespaces: z.array(namespaceRule).default([]),
  selfNamespaces: z
    .array(namespaceName)
    .default([])
    .describe(
      'Namespaces in which nothing is ever changed, beside the product’s own and those of the cluster itself. Names only.',
    ),
  protectedLabels: z
    .record(labelKey, labelValue)
    .default({})
    .describe('Objects with one of these labels are never touched.'),
  budgets: z
    .strictObject({
      perHour: z.int().nonnegative().default(10),
      perDay: z.int().nonnegative().default(30),
      perNamespaceHour: z.int().nonnegative().default(3),
    })
    .prefault({})
    .describe('Actions admitted in a sliding window; more of them need a person.'),
  approvalTimeout: duration('60m', { min: '1s', max: '7d' }).describe('How long a proposal stays open.'),
  clusterHealth: z
    .strictObject({
      maxUnreadyPods: z.number().min(0).max(1).default(0.3),
      maxUnreadyNodes: z.number().min(0).max(1).default(0.25),
    })
    .prefault({})
    .describe('Fractions above which something larger is going on, and no action is taken without a person.'),
  oscillation: z
    .strictObject({
      times: z.int().min(2).default(3),
      within: duration('2h', { min: '1s' }),
      quarantine: duration('24h', { min: '1s' }),
    })
    .prefault({})
    .describe(
      'The same action so often in so long, its incident coming back each time: the workload is left alone for so long.',
    ),
  verification: z
    .strictObject({
      times: z
        .tuple([duration('60s', { min: '1ms' }), duration('5m', { min: '1ms' }), duration('15m', { min: '1ms' })])
        .prefault(['60s', '5m', '15m']),
    })
    .prefault({})
    .refine(({ times }) => times[0] < times[1] && times[1] < times[2], {
      error: 'expected three growing times',
      path: ['times'],
    })
    .describe('When it is checked whether anything broke, whether it converged, and whether it came back.'),
  maintenance: z.array(maintenanceWindow).default([]).describe('Windows in which nothing is done by us.'),
});

/**
 * The policy: what may be done where, by whose leave, and how it is checked. One file; everything that it does not say is denied. Keys that
 * are not known are refused, since a misspelt limit is no limit, and so is a rule that can never apply.
 */
export const policyFile = policyObject.superRefine(({ namespaces, selfNamespaces }, context) => {
  for (const [index, { match }] of namespaces.entries()) {
    const path = ['namespaces', index, 'match'];
    const wider = namespaces.slice(0, index).find((earlier) => coversPattern(earlier.match, match));
    if (wider !== undefined)
      context.addIssue({
        code: 'custom',
        path,
        message: `expected no earlier rule that matches the same namespaces, found \`${wider.match}\` before \`${match}\`, which therefore never applies; move the narrower rule up`,
      });
    if (!match.endsWith('*') && isProtectedNamespace(match, selfNamespaces))
      context.addIssue({
        code: 'custom',
        path,
        message: `expected a namespace that may be acted on, found \`${match}\`, in which nothing is ever changed; remove the rule`,
      });
  }
});
export type PolicyFile = z.output<typeof policyFile>;
/** As the file says it: durations and amounts as text, defaults left out. */
export type PolicyFileInput = z.input<typeof policyFile>;

export type ParsedPolicy =
  | { readonly kind: 'policy'; readonly policy: PolicyFile; readonly canonical: string }
  | { readonly kind: 'refused'; readonly problems: readonly { readonly path: string; readonly message: string }[] };

/** Reads a policy from plain data. `canonical` is the text whose hash names this policy in every decision: defaults filled in, keys sorted. */
export function parsePolicy(data: unknown): ParsedPolicy {
  const parsed = policyFile.safeParse(data);
  if (parsed.success) return { kind: 'policy', policy: parsed.data, canonical: canonicalJson(parsed.data) };
  return {
    kind: 'refused',
    problems: parsed.error.issues.map((issue) => ({
      path: [...issue.path, ...(issue.code === 'unrecognized_keys' ? [issue.keys.join(', ')] : [])].join('.'),
      message: issue.code === 'unrecognized_keys' ? 'expected no such key' : issue.message,
    })),
  };
}

/** The rule that governs a namespace: the first that matches, none when none does. */
export function ruleFor(policy: PolicyFile, namespace: string): NamespaceRule | undefined {
  return policy.namespaces.find(({ match }) => matchesNamespace(match, namespace));
}

/** The mode that the policy itself allows for a kind in a namespace. */
export function ruleMode(rule: NamespaceRule, type: ActionType): (typeof AGENT_MODES)[number] {
  const own = rule.kindModes[type];
  return own !== undefined && AGENT_MODES.indexOf(own) < AGENT_MODES.indexOf(rule.mode) ? own : rule.mode;
}
