import { asRecord } from '@hephaisto/core/facts/raw';
import type { ExpectedCause, ExpectedIncident } from '@hephaisto/operator/demo/stories/expected';
import { STORIES } from '@hephaisto/operator/demo/stories/story-book';
import type { Reply, ScriptPart, SeenRequest } from '../../support/model-script.ts';
import { says } from '../../support/model-script.ts';
import { call, conclude, plans, toldFindings } from './wedged-world.ts';

interface Known {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly sickPod: string;
  readonly expected: ExpectedIncident;
}

/** What an honest model knows of the incident from its first message. */
function knownFrom(request: SeenRequest): Known {
  const text = request.turns[0]?.text ?? '';
  const about = /^about (\S+) (\S+) in namespace (\S+?)(?:,|$)/mu.exec(text);
  const [, kind = '', name = '', namespace = ''] = about ?? [];
  const story = Object.values(STORIES).find(
    ({ id }) => namespace.endsWith(id) && namespace.slice(0, -id.length).endsWith('-'),
  );
  const exact = Object.values(STORIES).find(({ id }) => namespace === `eval-${id}`) ?? story;
  const expected = exact?.expected.incidents.find(({ workload }) => workload.name === name);
  if (expected === undefined) throw new Error(`expected an incident of a story, found ${namespace}/${name}`);
  const sickPod = /^ {2}(\S+?)(?: of \S+)?: not ready/mu.exec(text)?.[1] ?? `${name}-unseen`;
  return { namespace, kind, name, sickPod, expected };
}

interface Truth {
  readonly reads: (known: Known) => readonly ScriptPart[];
  /** The line that shows it. */
  readonly line: (known: Known) => RegExp;
  readonly cause: (known: Known) => Readonly<Record<string, unknown>>;
  readonly category: string;
  readonly confidence?: number;
}

const owner = ({ namespace, kind, name }: Known) => ({ kind, namespace, name });
const history = (known: Known) => call('get_rollout_history', owner(known));
const events = ({ namespace, name }: Known) => call('get_events', { namespace, name });
const pods = (known: Known) => call('get_pods', owner(known));
const log = ({ namespace, sickPod, name }: Known) =>
  call('get_logs', { namespace, pod: sickPod, container: name, previous: true });

function expectedCause<K extends ExpectedCause['kind']>(known: Known, kind: K): Extract<ExpectedCause, { kind: K }> {
  const { cause } = known.expected;
  if (cause.kind !== kind) throw new Error(`expected ${kind}, found ${cause.kind}`);
  return cause as Extract<ExpectedCause, { kind: K }>;
}

/** For each sort of cause: where to look, which line to quote, what to say. */
const TRUTHS: Readonly<Record<ExpectedCause['kind'], Truth>> = {
  'rollout-change': {
    reads: (known) => [history(known), events(known)],
    line: () => /^changed spec\.template.*/mu,
    cause: (known) => ({ kind: 'rollout-change', symptom: expectedCause(known, 'rollout-change').symptom }),
    category: 'configuration',
  },
  'memory-limit-too-low': {
    reads: (known) => [pods(known)],
    line: () => /^pod \S+ container .*OOMKilled.*/mu,
    cause: (known) => ({
      kind: 'memory-limit-too-low',
      container: expectedCause(known, 'memory-limit-too-low').container,
    }),
    category: 'capacity',
  },
  'stale-local-state': {
    reads: (known) => [log(known), pods(known)],
    line: () => /^.*stale lock.*/mu,
    cause: ({ sickPod, name }) => ({ kind: 'stale-local-state', pod: sickPod, container: name }),
    category: 'application',
  },
  'one-bad-replica': {
    reads: (known) => [log(known), pods(known)],
    line: ({ sickPod }) => new RegExp(`^pod ${sickPod} container .*`, 'mu'),
    cause: ({ sickPod }) => ({ kind: 'one-bad-replica', pod: sickPod }),
    category: 'unknown',
    confidence: 0.65,
  },
  'image-missing': {
    reads: (known) => [events(known), pods(known)],
    line: () => /^Warning Failed .*pull.*/imu,
    cause: ({ name }) => ({ kind: 'image-missing', container: name }),
    category: 'configuration',
  },
  unschedulable: {
    reads: (known) => [events(known), call('get_nodes', {})],
    line: () => /^Warning FailedScheduling.*/mu,
    cause: (known) => ({ kind: 'unschedulable', resource: expectedCause(known, 'unschedulable').resource }),
    category: 'capacity',
  },
  'config-missing': {
    reads: (known) => [events(known), call('get_config_references', owner(known))],
    line: () => /^Warning Failed .*(?:couldn't find key|not found).*/mu,
    cause: (known) => {
      const { source, name, key } = expectedCause(known, 'config-missing');
      return { kind: 'config-missing', source, name, key };
    },
    category: 'configuration',
  },
  'crash-application': {
    reads: (known) => [log(known)],
    line: (known) => new RegExp(`^.*(?:${expectedCause(known, 'crash-application').line}).*`, 'mu'),
    cause: ({ name }) => ({ kind: 'crash-application', container: name }),
    category: 'application',
  },
  upstream: {
    reads: (known) => [call('get_services', { namespace: known.namespace }), log(known)],
    line: (known) => new RegExp(`^.*${expectedCause(known, 'upstream').service}.*0 ready.*`, 'mu'),
    cause: (known) => ({ kind: 'upstream', name: expectedCause(known, 'upstream').service }),
    category: 'dependency',
  },
};

/** An honest model: looks where the cause would show, quotes the line that shows it, plans what repairs it. */
export function truthful(request: SeenRequest): Reply {
  if (request.hasSchema) return planOf(request);
  const known = knownFrom(request);
  const truth = TRUTHS[known.expected.cause.kind];
  if (request.turns.length === 1) return says({ text: 'I look where it would show.' }, ...truth.reads(known));
  const { step, excerpt } = lineIn(request, truth.line(known));
  return conclude({
    statement: `The cause is ${known.expected.cause.kind} of ${known.name}.`,
    category: truth.category,
    confidence: truth.confidence ?? 0.9,
    cause: truth.cause(known),
    evidence: [{ step, excerpt: excerpt.slice(0, 300) }],
  });
}

/** The first line of any result that matches, with its label; else one of the quotations that the rules gave. */
function lineIn(request: SeenRequest, line: RegExp): { readonly step: string; readonly excerpt: string } {
  for (const { text } of request.turns.flatMap((turn) => turn.results)) {
    const label = /^\[step ([a-z]{8})\]/u.exec(text)?.[1];
    const found = line.exec(text)?.[0].trim();
    if (label !== undefined && found !== undefined) return { step: label, excerpt: found };
  }
  for (const [, label = '', quotation = ''] of (request.turns[0]?.text ?? '').matchAll(
    /^ {3}\[step ([a-z]{8})\] (.*)$/gmu,
  )) {
    if (line.test(quotation)) return { step: label, excerpt: quotation };
  }
  throw new Error(`expected a line like ${line}, found none`);
}

function planOf(request: SeenRequest): Reply {
  const [primary] = toldFindings(request).filter((finding) => asRecord(finding).primary === true);
  const cause = primary?.cause ?? {};
  const target = targetOf(cause.kind === 'stale-local-state' ? cause.pod : cause.workload);
  if (primary === undefined) return plans(undefined);
  const finding = primary.id;
  switch (cause.kind) {
    case 'rollout-change':
      return plans({
        type: 'RollbackWorkload',
        finding,
        target,
        params: { fromRevision: cause.revision, toRevision: cause.previousRevision },
      });
    case 'memory-limit-too-low':
      return plans({
        type: 'PatchResources',
        finding,
        target,
        params: { container: cause.container, memoryLimitBytes: 2 * Number(cause.limitBytes) },
      });
    case 'stale-local-state':
      return plans({ type: 'RestartPod', finding, target, params: {} });
    default:
      return plans(undefined, 'no act of the list repairs this');
  }
}

function targetOf(ref: unknown): Readonly<Record<string, unknown>> {
  const { kind, namespace, name } = asRecord(ref);
  return { kind, namespace, name };
}
