import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApiUnderTest, type SignedIn, startTestApi } from '@hephaisto/test/api';
import { createTestDatabase } from '@hephaisto/test/database';
import { seedPrincipals } from '../boot/seed.ts';
import { revokeGrant } from './auth/grants.ts';
import { seedPeople } from './auth/people.ts';

type People = Parameters<typeof seedPeople>[1];

describe('a token holds its own grant as far as its principal holds it', () => {
  let api: ApiUnderTest;
  let ada: SignedIn;
  before(async () => {
    api = await startTestApi();
    ada = await api.signIn('ada');
  });
  after(() => api[Symbol.asyncDispose]());

  async function make(body: Record<string, unknown>) {
    const made = await api.call('/api/v1/tokens', { as: ada, body });
    const headers = { authorization: `Bearer ${String(made.body.token)}` };
    const grants = async () => (await api.call('/api/v1/session', { headers })).body.grants;
    return { made, headers, grants, id: String(made.body.id) };
  }

  test('a narrow token of an admin may not do what the admin may', async () => {
    const token = await make({ principal: 'ada', role: 'viewer', namespace: 'shop' });
    assert.deepEqual(await token.grants(), [{ role: 'viewer', namespace: 'shop' }]);
    assert.equal((await api.call('/api/v1/tokens', { headers: token.headers })).body.code, 'role-missing');
  });

  test('a second token of a service gives the first one nothing', async () => {
    const viewer = await make({ principal: 'ci', role: 'viewer', namespaces: ['shop', 'pay'] });
    const admin = await make({ principal: 'ci', role: 'admin' });
    assert.deepEqual(await viewer.grants(), [
      { role: 'viewer', namespace: 'shop' },
      { role: 'viewer', namespace: 'pay' },
    ]);
    assert.deepEqual(await admin.grants(), [{ role: 'admin', namespace: '' }]);
  });

  test('revoking a token takes away the grant that came with it', async () => {
    const token = await make({ principal: 'robot', role: 'approver' });
    const held = () => api.db.query(`SELECT 1 FROM role_grants WHERE subject = 'robot'`);
    assert.equal((await held()).length, 1);
    await api.call(`/api/v1/tokens/${token.id}`, { as: ada, method: 'DELETE' });
    assert.equal((await held()).length, 0);
  });

  test('a token gives a person no more than the person holds, neither when it is made nor later', async () => {
    const wide = await make({ principal: 'nina', role: 'approver' });
    assert.deepEqual([wide.made.status, wide.made.body.code], [422, 'invalid-value']);
    const fit = await make({ principal: 'nina', role: 'approver', namespace: 'shop' });
    await api.db.execute(`UPDATE role_grants SET role = 'viewer' WHERE subject = 'nina'`);
    assert.deepEqual(await fit.grants(), [{ role: 'viewer', namespace: 'shop' }]);
    await api.db.execute(`UPDATE role_grants SET role = 'approver' WHERE subject = 'nina'`);
  });

  test('a namespace that is none is refused, since what the database drops of it would mean everywhere', async () => {
    for (const namespace of ['\u0000', ' ', 'Shop', 'shop/x', '*']) {
      assert.equal((await make({ principal: 'odd', role: 'viewer', namespace })).made.status, 400, namespace);
      assert.equal((await make({ principal: 'odd', role: 'viewer', namespaces: [namespace] })).made.status, 400);
    }
    assert.equal((await make({ principal: 'odd', role: 'viewer', namespaces: [''] })).made.status, 400);
    assert.equal(
      (await make({ principal: 'odd', role: 'viewer', namespace: 'a', namespaces: ['b'] })).made.status,
      422,
    );
  });
});

describe('a grant is listed with its source and revoked with what lived from it', () => {
  test('revoking the last grant ends session, link and token, is audited, and outlives the next start', async () => {
    await using api = await startTestApi();
    const ada = await api.signIn('ada');
    const vic = await api.signIn('vic');
    const link = await api.link('vic');
    const made = await api.call('/api/v1/tokens', { as: ada, body: { principal: 'vic', role: 'viewer' } });
    const headers = { authorization: `Bearer ${String(made.body.token)}` };
    const listed = (await api.call('/api/v1/grants', { as: ada })).body.items as Record<string, unknown>[];
    const grant = listed.find(({ subject }) => subject === 'vic');
    assert.deepEqual([grant?.role, grant?.source, grant?.kind], ['viewer', 'configuration', 'person']);
    const revoked = await api.call(`/api/v1/grants/${String(grant?.id)}`, { as: ada, method: 'DELETE' });
    assert.deepEqual([revoked.status, revoked.body.revokedBy], [200, 'ada']);
    assert.equal((await api.call('/api/v1/session', { as: vic })).status, 401);
    assert.equal((await api.call('/api/v1/session', { headers })).status, 401);
    assert.equal((await api.call('/api/v1/session', { body: { token: link } })).body.code, 'link-invalid');
    assert.deepEqual(
      await api.db.query(
        `SELECT verb, actor FROM audit_log WHERE subject_id = 'vic' AND subject_kind = 'principal' ORDER BY id`,
      ),
      [
        { verb: 'grant.revoke', actor: 'ada' },
        { verb: 'access.end', actor: 'ada' },
      ],
    );
    const vicAgain = [
      { subject: 'vic', name: 'Vic', identities: [], grants: [{ role: 'viewer' as const, namespace: '' }] },
    ];
    await api.db.transaction((tx) => seedPeople(tx, vicAgain));
    assert.deepEqual((await api.call('/api/v1/session', { as: await api.signIn('vic') })).body.grants, []);
  });

  test('an admin cannot revoke the own admin grant, so that one admin is always left', async () => {
    await using api = await startTestApi();
    const ada = await api.signIn('ada');
    const [own] = await api.db.query<{ id: string }>(`SELECT id::text AS id FROM role_grants WHERE subject = 'ada'`);
    const answer = await api.call(`/api/v1/grants/${own?.id}`, { as: ada, method: 'DELETE' });
    assert.deepEqual([answer.status, answer.body.code], [422, 'invalid-value']);
    assert.equal((await api.call('/api/v1/grants/987654', { as: ada, method: 'DELETE' })).status, 404);
  });

  test('more grants than one page holds are listed page by page, each once', async () => {
    await using api = await startTestApi();
    const ada = await api.signIn('ada');
    await api.db.execute(
      `INSERT INTO role_grants (subject, role, namespace, source, granted_by)
       SELECT 'vic', 'viewer', 'n' || n, 'admin', 'ada' FROM generate_series(1, 1050) AS n`,
    );
    const seen = new Set<string>();
    let [cursor, total, read] = ['', 0, 0];
    do {
      const page = (await api.call(`/api/v1/grants?limit=200${cursor}`, { as: ada })).body;
      for (const { id } of page.items as { id: string }[]) seen.add(id);
      read += (page.items as unknown[]).length;
      total = Number(page.total);
      cursor = page.next === null ? '' : `&cursor=${String(page.next)}`;
    } while (cursor !== '');
    assert.ok(total > 1050);
    assert.deepEqual([seen.size, read], [total, total]);
  });

  test('the grant of a token that was revoked in either way is no longer listed', async () => {
    await using api = await startTestApi();
    const ada = await api.signIn('ada');
    const listed = async () =>
      ((await api.call('/api/v1/grants', { as: ada })).body.items as { id: string; subject: string }[]).filter(
        ({ subject }) => subject.startsWith('ci-'),
      );
    await api.call('/api/v1/tokens', { as: ada, body: { principal: 'ci-a', role: 'viewer' } });
    const b = await api.call('/api/v1/tokens', { as: ada, body: { principal: 'ci-b', role: 'viewer' } });
    const before = await listed();
    assert.equal(before.length, 2);
    const grant = before.find(({ subject }) => subject === 'ci-a');
    await api.call(`/api/v1/grants/${grant?.id}`, { as: ada, method: 'DELETE' });
    await api.db.execute(`UPDATE api_tokens SET revoked_at = app_now() WHERE subject = 'ci-b'`);
    assert.equal(b.status, 201);
    assert.deepEqual(await listed(), []);
  });

  test('two admins who revoke each other at the same moment leave one of them', async () => {
    await using api = await startTestApi();
    await api.db.execute(
      `INSERT INTO role_grants (subject, role, namespace, source, granted_by) VALUES ('vic', 'admin', '', 'admin', 'ada')`,
    );
    await api.db.execute(
      `UPDATE role_grants SET revoked_at = app_now(), revoked_by = 'ada' WHERE role = 'admin' AND subject NOT IN ('ada', 'vic')`,
    );
    const [ada, vic] = [await api.signIn('ada'), await api.signIn('vic')];
    const grantOf = async (subject: string) =>
      (
        await api.db.query<{ id: string }>(
          `SELECT id::text AS id FROM role_grants WHERE subject = $1 AND role = 'admin' AND namespace = ''`,
          [subject],
        )
      )[0]?.id;
    const [ofAda, ofVic] = [await grantOf('ada'), await grantOf('vic')];
    const answers = await Promise.all([
      revokeGrant(api.db, { id: String(ofVic), by: 'ada', configuredAdmins: false }),
      revokeGrant(api.db, { id: String(ofAda), by: 'vic', configuredAdmins: false }),
    ]);
    assert.deepEqual(answers.map(({ kind }) => kind).sort(), ['last-admin', 'revoked']);
    const left = answers[0]?.kind === 'revoked' ? ada : vic;
    assert.equal((await api.call('/api/v1/grants', { as: left })).status, 200);
  });

  test('what is made in a session that another account opened names that account, so that no chain of links hides it', async () => {
    await using api = await startTestApi();
    const ada = await api.signIn('ada');
    const [made] = [await api.call('/api/v1/sign-in-links', { as: ada, body: { principal: 'vic' } })];
    assert.equal(made.status, 201);
    await api.db.execute(
      `INSERT INTO role_grants (subject, role, namespace, source, granted_by) VALUES ('vic', 'admin', '', 'admin', 'ada')`,
    );
    const token = String(made.body.path).split('token=')[1] ?? '';
    const opened = await api.call('/api/v1/session', { body: { token } });
    const vic = {
      cookie: String(opened.headers.get('set-cookie')).split(';')[0] ?? '',
      csrfToken: String(opened.body.csrfToken),
    };
    await api.call('/api/v1/sign-in-links', { as: vic, body: { principal: 'nina' } });
    await api.call('/api/v1/tokens', { as: vic, body: { principal: 'vic', role: 'viewer' } });
    assert.deepEqual(await api.db.query('SELECT subject, created_by FROM sign_in_links ORDER BY subject, expires_at'), [
      ...(await api.db.query(`SELECT subject, created_by FROM sign_in_links WHERE subject = 'ada'`)),
      { subject: 'nina', created_by: 'ada' },
      { subject: 'vic', created_by: 'ada' },
    ]);
    assert.deepEqual(await api.db.query('SELECT created_by FROM api_tokens'), [{ created_by: 'ada' }]);
  });

  test('a viewer of one namespace lists only people who share it', async () => {
    await using api = await startTestApi();
    await api.db.transaction((tx) =>
      seedPeople(tx, [
        { subject: 'nina', name: 'Nina', identities: [], grants: [{ role: 'viewer', namespace: 'shop' }] },
        { subject: 'pat', name: 'Pat', identities: [], grants: [{ role: 'viewer', namespace: 'pay' }] },
        { subject: 'ada', name: 'Ada', identities: [], grants: [{ role: 'admin', namespace: '' }] },
      ]),
    );
    const of = async (who: 'nina' | 'ada') =>
      ((await api.call('/api/v1/people', { as: await api.signIn(who) })).body.items as { subject: string }[]).map(
        ({ subject }) => subject,
      );
    assert.deepEqual(await of('nina'), ['ada', 'nina']);
    assert.deepEqual(await of('ada'), ['ada', 'nina', 'pat']);
  });
});

describe('a start ends the grants that the configuration no longer states', () => {
  const ana: People[number] = {
    subject: 'ana',
    name: 'Ana',
    identities: [],
    grants: [{ role: 'approver', namespace: '' }],
  };
  const bea: People[number] = { ...ana, subject: 'bea', name: 'Bea' };

  test('a person who was taken out loses sessions, links and tokens; another keeps all; the audit says so', async () => {
    await using api = await startTestApi();
    await seedPrincipals(api.db, [ana, bea], false);
    const session = await api.signIn('ana');
    const link = await api.link('ana');
    await seedPrincipals(api.db, [ana, bea], false);
    assert.equal((await api.call('/api/v1/session', { as: session })).status, 200);
    await seedPrincipals(api.db, [bea], false);
    assert.equal((await api.call('/api/v1/session', { as: session })).status, 401);
    assert.equal((await api.call('/api/v1/session', { body: { token: link } })).status, 401);
    assert.deepEqual(await api.db.query(`SELECT subject FROM role_grants`), [{ subject: 'bea' }]);
    const audit = await api.db.query<{ verb: string; detail: Record<string, unknown> }>(
      `SELECT verb, detail FROM audit_log WHERE subject_id = 'ana' AND verb <> 'sign-in-link.create' ORDER BY id`,
    );
    assert.deepEqual(
      audit.map(({ verb }) => verb),
      ['grant.end', 'access.end'],
    );
    assert.deepEqual([audit[1]?.detail.sessions, audit[1]?.detail.links], [1, 1]);
  });

  test('a role that was made smaller keeps the session and narrows it', async () => {
    await using api = await startTestApi();
    await seedPrincipals(api.db, [ana], false);
    const session = await api.signIn('ana');
    await seedPrincipals(api.db, [{ ...ana, grants: [{ role: 'viewer', namespace: 'shop' }] }], false);
    assert.deepEqual((await api.call('/api/v1/session', { as: session })).body.grants, [
      { role: 'viewer', namespace: 'shop' },
    ]);
  });

  test('the first admin of a server on loopback ends when the server leaves loopback', async () => {
    await using db = await createTestDatabase();
    await seedPrincipals(db, [], true);
    const grants = () => db.query('SELECT subject, role, source FROM role_grants');
    assert.deepEqual(await grants(), [{ subject: 'admin', role: 'admin', source: 'loopback' }]);
    await seedPrincipals(db, [], false);
    assert.deepEqual(await grants(), []);
  });

  test('a service whose name becomes a person loses the tokens that were made for the service', async () => {
    await using api = await startTestApi();
    const headersOf = async (principal: string) => {
      const made = await api.call('/api/v1/tokens', {
        as: await api.signIn('ada'),
        body: { principal, role: 'approver' },
      });
      return { authorization: `Bearer ${String(made.body.token)}` };
    };
    const headers = await headersOf('carol');
    const others = await headersOf('ci');
    const carol: People[number] = {
      ...ana,
      subject: 'carol',
      name: 'Carol',
      grants: [{ role: 'viewer', namespace: '' }],
    };
    await seedPrincipals(api.db, [carol], false);
    assert.equal((await api.call('/api/v1/session', { headers })).status, 401);
    assert.equal((await api.call('/api/v1/session', { headers: others })).status, 200);
    assert.deepEqual(await api.db.query(`SELECT role, source FROM role_grants WHERE subject = 'carol'`), [
      { role: 'viewer', source: 'configuration' },
    ]);
    assert.equal((await api.db.query(`SELECT 1 FROM audit_log WHERE verb = 'token.revoke'`)).length, 1);
  });

  test('identities of one person are linked and dissolved as the configuration states', async () => {
    await using db = await createTestDatabase();
    const person = async () => (await db.query<{ p: string }>(`SELECT person_of('kubernetes:ana') AS p`))[0]?.p;
    await seedPrincipals(db, [{ ...ana, identities: ['kubernetes:ana', 'admin'] }], true);
    assert.equal(await person(), 'ana');
    assert.deepEqual(await db.query(`SELECT person_of('admin') AS p`), [{ p: 'ana' }]);
    await seedPrincipals(db, [ana], true);
    assert.equal(await person(), 'kubernetes:ana');
  });
});
