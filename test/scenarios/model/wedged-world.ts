import { crashed, pod, replicaSet, type World } from '@hephaisto/core/diagnose/case.fixture';
import type { Reply, ScriptPart, SeenRequest } from '../../support/model-script.ts';
import { says } from '../../support/model-script.ts';

/** One sick pod of three, with state of its own, whose log says why in words that no rule knows. Rules call it possible. */
export const WEDGED: World = {
  pods: [
    pod('app-a'),
    pod('app-b'),
    pod('app-c', { ready: false, status: crashed(), volumes: [{ name: 'scratch', emptyDir: {} }] }),
  ],
  replicaSets: [replicaSet(1, {}, { ready: 2 })],
  logs: {
    'app-c': 'info starting\nerror generation 7 of the segment index does not belong to this writer, giving up\n',
  },
};
export const TELLING_LINE = 'error generation 7 of the segment index does not belong to this writer, giving up';

/** A rollout that rules prove by themselves. */
export const PROVEN: World = {
  pods: [pod('old-1'), pod('new-1', { revision: 2, ready: false, status: crashed() })],
  replicaSets: [
    replicaSet(1, { env: [{ name: 'URL', value: 'db:5432' }] }, { ready: 1 }),
    replicaSet(2, { env: [{ name: 'URL', value: 'db:54e2' }] }),
  ],
  logs: { 'new-1': 'error invalid URL: cannot parse "db:54e2"\nfatal exiting' },
};

export function call(name: string, args: Readonly<Record<string, unknown>>): ScriptPart {
  return { call: name, args };
}

export function readLog(pod: string, previous = true): ScriptPart {
  return call('get_logs', { namespace: 'shop', pod, container: 'app', previous });
}

/** Label of the newest result that holds the words. */
export function labelWith(request: SeenRequest, words: string): string {
  const texts = request.turns.flatMap((turn) => [turn.text, ...turn.results.map(({ text }) => text)]);
  for (const text of texts.reverse()) {
    const parts = text.split(/(?=\[step [a-z]{8}\])/u);
    for (const part of parts) {
      if (!part.includes(words)) continue;
      const label = /^\[step ([a-z]{8})\]/.exec(part)?.[1];
      if (label !== undefined) return label;
    }
  }
  throw new Error(`expected a step that holds \`${words}\`, found none`);
}

export interface Claim {
  readonly statement?: string;
  readonly confidence?: number;
  readonly primary?: boolean;
  readonly category?: string;
  readonly cause?: Readonly<Record<string, unknown>>;
  readonly evidence: readonly { readonly step: string; readonly excerpt: string }[];
  readonly [smuggled: string]: unknown;
}

export function conclude(...claims: readonly Claim[]): Reply {
  return says(
    call('conclude', {
      summary: 'One pod is stuck on state of its own.',
      findings: claims.map((claim) => ({
        statement: 'Pod app-c fails on a segment index that an earlier writer left in its own volume.',
        category: 'application',
        confidence: 0.9,
        primary: true,
        cause: { kind: 'stale-local-state', pod: 'app-c', container: 'app' },
        ...claim,
      })),
    }),
  );
}

/** Ids of the findings that a planner was told. */
export function toldFindings(
  request: SeenRequest,
): readonly { readonly id: string; readonly cause: Readonly<Record<string, unknown>> }[] {
  return request.turns
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { id: string; cause: Readonly<Record<string, unknown>> });
}

export function plans(
  act: Readonly<Record<string, unknown>> | undefined,
  because = 'it follows from the finding',
): Reply {
  const answer = act === undefined ? { decision: 'none', because } : { decision: 'act', because, act };
  return says({ text: JSON.stringify(answer) });
}

export function restartOf(request: SeenRequest): Reply {
  const finding = toldFindings(request).find(({ cause }) => cause.kind === 'stale-local-state');
  const target = { kind: 'Pod', namespace: 'shop', name: 'app-c' };
  return plans({ type: 'RestartPod', finding: finding?.id, target, params: {} });
}

/** What an honest model does in the wedged world: reads the log, quotes it, concludes, and plans the restart. */
export function honest(request: SeenRequest): Reply {
  if (request.hasSchema) return restartOf(request);
  if (request.turns.length === 1) return says({ text: 'The log must tell.' }, readLog('app-c'));
  return conclude({ evidence: [{ step: labelWith(request, TELLING_LINE), excerpt: TELLING_LINE }] });
}
