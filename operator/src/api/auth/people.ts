import type { Config } from '@hephaisto/core/config/schema';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Role } from '@hephaisto/core/principal/service';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { appendAudit } from '../../flow/incident-log/audit.ts';
import { endAccess } from './end-access.ts';

/** The installation itself grants what the configuration states. */
const GRANTED_BY = SERVICE_PRINCIPALS.policy;

export async function upsertPrincipal(
  sql: Sql,
  subject: string,
  kind: 'person' | 'service',
  displayName: string,
): Promise<void> {
  await sql.execute(
    `INSERT INTO principals (subject, kind, display_name) VALUES ($1, $2, $3)
     ON CONFLICT (subject) DO UPDATE SET display_name = EXCLUDED.display_name, kind = EXCLUDED.kind
     WHERE (principals.display_name, principals.kind) <> (EXCLUDED.display_name, EXCLUDED.kind)`,
    [subject, kind, displayName],
  );
}

/** Sources whose grants are written at start and end when a later start no longer states them. */
type StartSource = 'configuration' | 'loopback';

export interface StartGrant {
  readonly subject: string;
  readonly role: Role;
  readonly namespace: string;
  readonly source: StartSource;
}

/**
 * Makes people, grants and links of identities exactly as this start states them. A grant of an earlier start that is no longer stated ends,
 * with the sessions, sign-in links and tokens that lived from it. A grant that an admin revoked stays revoked while the configuration still
 * states it, or a restart would bring it back.
 */
export async function seedPeople(
  tx: Sql,
  people: Config['auth']['people'],
  loopback: readonly StartGrant[] = [],
): Promise<void> {
  for (const { subject, name } of people) await upsertPrincipal(tx, subject, 'person', name);
  const wanted: readonly StartGrant[] = [
    ...people.flatMap(({ subject, grants }) =>
      grants.map(({ role, namespace }) => ({ subject, role, namespace, source: 'configuration' as const })),
    ),
    ...loopback,
  ];
  await tx.execute(
    `INSERT INTO role_grants (subject, role, namespace, source, granted_by)
     SELECT w.subject, w.role, w.namespace, w.source, $2
     FROM jsonb_to_recordset($1::jsonb) AS w (subject text, role text, namespace text, source text) ON CONFLICT DO NOTHING`,
    [JSON.stringify(wanted), GRANTED_BY],
  );
  await linkIdentities(tx, people);
  await endTokensOfFormerServices(tx);
  await endUnstatedGrants(tx, wanted, new Set([...people, ...loopback].map(({ subject }) => subject)));
}

async function endUnstatedGrants(tx: Sql, wanted: readonly StartGrant[], stated: ReadonlySet<string>): Promise<void> {
  const ended = await tx.query<StartGrant>(
    `DELETE FROM role_grants g WHERE g.source IN ('configuration', 'loopback') AND NOT EXISTS (
       SELECT 1 FROM jsonb_to_recordset($1::jsonb) AS w (subject text, role text, namespace text, source text)
       WHERE (w.subject, w.role, w.namespace, w.source) = (g.subject, g.role, g.namespace, g.source))
     RETURNING g.subject, g.role, g.namespace, g.source`,
    [JSON.stringify(wanted)],
  );
  for (const { subject, role, namespace, source } of ended)
    await appendAudit(tx, {
      actor: GRANTED_BY,
      origin: 'core',
      verb: 'grant.end',
      subjectKind: 'principal',
      subjectId: subject,
      detail: { role, namespace, source, reason: 'no-longer-configured' },
    });
  for (const subject of new Set(ended.map((grant) => grant.subject)))
    await endAccess(tx, subject, { actor: GRANTED_BY, origin: 'core', keepsSignIn: stated.has(subject) });
}

/**
 * A name that was a service may become a person. Tokens that were made for the service hold grants of their own, which the person does not
 * hold, and would speak for that person. They end.
 */
async function endTokensOfFormerServices(tx: Sql): Promise<void> {
  const grants = `role_grants g JOIN principals p ON p.subject = g.subject AND p.kind = 'person' WHERE g.source = 'token'`;
  const ended = await tx.query<{ id: string; subject: string }>(
    `UPDATE api_tokens SET revoked_at = app_now() WHERE revoked_at IS NULL AND token_sha256 IN (SELECT g.token_sha256 FROM ${grants})
     RETURNING left(encode(token_sha256, 'hex'), 16) AS id, subject`,
  );
  await tx.execute(`DELETE FROM role_grants WHERE id IN (SELECT g.id FROM ${grants})`);
  for (const { id, subject } of ended)
    await appendAudit(tx, {
      actor: GRANTED_BY,
      origin: 'core',
      verb: 'token.revoke',
      subjectKind: 'token',
      subjectId: id,
      detail: { principal: subject, reason: 'service-became-person' },
    });
}

/** Accounts of one person count as one in every quorum. A link that the configuration no longer states is dissolved. */
async function linkIdentities(tx: Sql, people: Config['auth']['people']): Promise<void> {
  const links = people.flatMap(({ subject, name, identities }) =>
    identities.map((identity) => ({ subject: identity, person: subject, name, kind: kindOf(identity) })),
  );
  await tx.execute(
    `INSERT INTO principals (subject, kind, display_name)
     SELECT w.subject, w.kind, w.name FROM jsonb_to_recordset($1::jsonb) AS w (subject text, kind text, name text) ON CONFLICT DO NOTHING`,
    [JSON.stringify(links)],
  );
  const changed = await tx.query<{ subject: string; person: string | null }>(
    `UPDATE principals p SET person = c.person FROM (
       SELECT q.subject, w.person FROM principals q
       LEFT JOIN jsonb_to_recordset($1::jsonb) AS w (subject text, person text) ON w.subject = q.subject
       WHERE q.kind = 'person' OR w.person IS NOT NULL) c
     WHERE c.subject = p.subject AND p.person IS DISTINCT FROM c.person RETURNING p.subject, p.person`,
    [JSON.stringify(links)],
  );
  for (const { subject, person } of changed)
    await appendAudit(tx, {
      actor: GRANTED_BY,
      origin: 'core',
      verb: 'identity.link',
      subjectKind: 'principal',
      subjectId: subject,
      detail: { person },
    });
}

/** The cluster authenticates its own components and service accounts too; they are no people and have no vote. */
function kindOf(subject: string): 'person' | 'service' {
  return subject.startsWith('kubernetes:system:') ? 'service' : 'person';
}

/** An account that the cluster vouches for needs a row too: votes and events name their author. */
export async function rememberKubernetesAccount(sql: Sql, username: string): Promise<string> {
  const subject = `kubernetes:${username}`;
  await upsertPrincipal(sql, subject, kindOf(subject), username);
  return subject;
}
