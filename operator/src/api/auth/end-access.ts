import type { Sql } from '@hephaisto/core/ports/database';
import type { EventOrigin } from '@hephaisto/core/ports/incident-log';
import { appendAudit } from '../../flow/incident-log/audit.ts';
import { grantsOfToken, HELD_GRANTS, type TokenGrantRow, tokenGrants } from './held-grants.ts';

interface EndedBy {
  readonly actor: string;
  readonly origin: EventOrigin;
  /** The account may go on to sign in, although it holds no grant. */
  readonly keepsSignIn: boolean;
}

/**
 * After a grant of the account has ended: ends its sessions and sign-in links when no grant is left, and each of its tokens that holds
 * nothing any more. Rights are computed at each request anyway; ending the credentials keeps them from coming back with a later grant.
 */
export async function endAccess(tx: Sql, subject: string, by: EndedBy): Promise<void> {
  const [left] = await tx.query<{ grants: readonly unknown[] }>(
    `SELECT ${HELD_GRANTS} AS grants FROM principals p WHERE p.subject = $1`,
    [subject],
  );
  const signsOut = !by.keepsSignIn && (left?.grants.length ?? 0) === 0;
  const sessions = signsOut
    ? await tx.execute(
        'UPDATE web_sessions SET revoked_at = app_now() WHERE subject = $1 AND revoked_at IS NULL AND expires_at > app_now()',
        [subject],
      )
    : 0;
  const links = signsOut
    ? await tx.execute(
        'UPDATE sign_in_links SET expires_at = app_now() WHERE (subject = $1 OR created_by = $1) AND used_at IS NULL AND expires_at > app_now()',
        [subject],
      )
    : 0;
  const tokens = await endEmptyTokens(tx, subject);
  const madeForOthers = await tx.query<{ id: string }>(
    `SELECT left(encode(token_sha256, 'hex'), 16) AS id FROM api_tokens WHERE created_by = $1 AND subject <> $1 AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > app_now()) ORDER BY created_at LIMIT 100`,
    [subject],
  );
  const [opened] = await tx.query<{ sessions: number }>(
    `SELECT count(*)::int AS sessions FROM web_sessions WHERE link_made_by = $1 AND subject <> $1 AND revoked_at IS NULL AND expires_at > app_now()`,
    [subject],
  );
  await appendAudit(tx, {
    actor: by.actor,
    origin: by.origin,
    verb: 'access.end',
    subjectKind: 'principal',
    subjectId: subject,
    // Tokens and sessions of others that this account made go on working: an admin has to decide about each.
    detail: {
      sessions,
      links,
      tokens,
      tokensMadeForOthers: madeForOthers.map(({ id }) => id),
      sessionsMadeForOthers: opened?.sessions ?? 0,
    },
  });
}

async function endEmptyTokens(tx: Sql, subject: string): Promise<readonly string[]> {
  const rows = await tx.query<TokenGrantRow & { readonly id: string }>(
    `SELECT left(encode(t.token_sha256, 'hex'), 16) AS id, t.role, t.namespaces, ${tokenGrants('t')} AS grants
     FROM api_tokens t JOIN principals p ON p.subject = t.subject WHERE t.subject = $1 AND t.revoked_at IS NULL`,
    [subject],
  );
  const ended = rows.filter((row) => grantsOfToken(row).length === 0).map(({ id }) => id);
  if (ended.length > 0)
    await tx.execute(
      `UPDATE api_tokens SET revoked_at = app_now() WHERE left(encode(token_sha256, 'hex'), 16) = ANY($1) AND subject = $2`,
      [ended, subject],
    );
  return ended;
}
