import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RightProbe } from '@hephaisto/core/action/rbac-matrix';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { createPatientConnection } from '../../boot/patient-connection.ts';
import type { KubeCall, KubeConnection } from './connection.ts';
import { createRulesReview } from './rules-review.ts';

type Requests = Pick<KubeConnection, 'server' | 'request'>;

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const BUSY: KubeFailure = {
  kind: 'failure',
  reason: 'too-many-requests',
  status: 429,
  message: 'slow down',
  retryAfterSeconds: 1,
};

/** A server that holds these rules, and counts what it is asked. */
function server(rules: readonly object[], options: { readonly incomplete?: boolean; readonly busy?: number } = {}) {
  const asked = { rules: 0, single: 0 };
  let busy = options.busy ?? 0;
  const connection: Requests = {
    server: 'https://api',
    async request({ path }: KubeCall) {
      busy -= 1;
      if (busy >= 0) return BUSY;
      const isRules = path.endsWith('selfsubjectrulesreviews');
      asked[isRules ? 'rules' : 'single'] += 1;
      const status = isRules
        ? { resourceRules: rules, nonResourceRules: [], incomplete: options.incomplete ?? false }
        : { allowed: false };
      return { kind: 'ok', value: { status: 201, headers: {}, text: JSON.stringify({ status }) } };
    },
  };
  return { connection, asked };
}

const probe = (over: Partial<RightProbe> = {}): RightProbe => ({
  namespace: 'shop',
  group: '',
  resource: 'pods',
  verb: 'delete',
  ...over,
});
const rule = (over: object = {}) => ({ verbs: ['delete'], apiGroups: [''], resources: ['pods'], ...over });

describe('what we may do, from one list of rules a namespace', () => {
  it('any number of questions about a namespace are one request', async () => {
    const { connection, asked } = server([rule()]);
    const ask = createRulesReview(connection);
    await Promise.all(['delete', 'patch', 'create', 'update'].map((verb) => ask(probe({ verb }))));
    await ask(probe({ namespace: 'other' }));
    assert.deepEqual(asked, { rules: 2, single: 0 });
  });

  const CASES: Readonly<Record<string, readonly [rules: readonly object[], probe: RightProbe, allowed: boolean]>> = {
    'the very rule': [[rule()], probe(), true],
    'another verb': [[rule()], probe({ verb: 'patch' }), false],
    'another group': [[rule({ apiGroups: ['apps'] })], probe(), false],
    'all verbs, groups and resources': [[rule({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] })], probe(), true],
    'all resources cover subresources': [[rule({ resources: ['*'] })], probe({ resource: 'pods/exec' }), true],
    'a subresource of every resource': [[rule({ resources: ['*/exec'] })], probe({ resource: 'pods/exec' }), true],
    'a resource does not cover its subresources': [[rule()], probe({ resource: 'pods/exec' }), false],
    'a rule for named objects only': [[rule({ resourceNames: ['one'] })], probe(), false],
    'a question about everything is not met by one rule': [
      [rule()],
      probe({ verb: '*', group: '*', resource: '*' }),
      false,
    ],
  };
  for (const [name, [rules, question, allowed]] of Object.entries(CASES)) {
    it(`${name}: ${allowed ? 'held' : 'not held'}`, async () => {
      const answer = await createRulesReview(server(rules).connection)(question);
      assert.deepEqual(answer, { kind: 'answered', allowed });
    });
  }

  it('what an incomplete list leaves open is asked by itself, since it may be held all the same', async () => {
    const { connection, asked } = server([rule()], { incomplete: true });
    const ask = createRulesReview(connection);
    assert.deepEqual(await ask(probe()), { kind: 'answered', allowed: true });
    assert.equal(asked.single, 0);
    await ask(probe({ verb: 'patch' }));
    assert.equal(asked.single, 1);
  });

  it('all namespaces at once are asked by single questions', async () => {
    const { connection, asked } = server([]);
    await createRulesReview(connection)(probe({ namespace: '' }));
    assert.deepEqual(asked, { rules: 0, single: 1 });
  });
});

describe('a busy API server at the start', () => {
  const patient = (connection: Requests, pauses: number[]) =>
    createPatientConnection(connection, {
      log: QUIET,
      timers: { sleep: async (milliseconds) => void pauses.push(milliseconds), after: () => () => undefined },
    });

  it('is asked again after a pause, at least as long as it wants', async () => {
    const pauses: number[] = [];
    const { connection } = server([rule()], { busy: 3 });
    const answer = await createRulesReview(patient(connection, pauses))(probe());
    assert.deepEqual(answer, { kind: 'answered', allowed: true });
    assert.deepEqual(pauses, [1_000, 1_000, 1_000]);
  });

  it('that stays busy is no answer, after a bounded time', async () => {
    const pauses: number[] = [];
    const { connection } = server([rule()], { busy: 1_000 });
    assert.equal((await createRulesReview(patient(connection, pauses))(probe())).kind, 'unanswered');
    assert.ok(pauses.reduce((sum, pause) => sum + pause, 0) < 60_000);
  });
});
