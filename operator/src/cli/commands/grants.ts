import type { AccountGrant } from '@hephaisto/core/report/grant';
import { allPages } from '../all-pages.ts';
import type { Client } from '../client.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { type Format, inert, type Listing, renderObject, renderRows } from '../output.ts';
import type { Terminal } from '../terminal.ts';

const GRANTS: Listing<AccountGrant> = {
  name: (grant) => `grant/${grant.id}`,
  columns: [
    { title: 'ID', value: (grant) => grant.id },
    { title: 'ACCOUNT', value: (grant) => grant.subject },
    { title: 'KIND', value: (grant) => grant.kind },
    { title: 'ROLE', value: (grant) => grant.role },
    { title: 'NAMESPACE', value: (grant) => (grant.namespace === '' ? '(all)' : grant.namespace) },
    { title: 'SOURCE', value: (grant) => (grant.tokenId === null ? grant.source : `token ${grant.tokenId}`) },
    {
      title: 'REVOKED',
      value: (grant) => (grant.revokedAt === null ? '' : `${grant.revokedAt} by ${grant.revokedBy}`),
    },
    { title: 'GRANTED BY', value: (grant) => grant.grantedBy, wide: true },
    { title: 'GRANTED AT', value: (grant) => grant.grantedAt, wide: true },
  ],
};

/** Lists the roles of all accounts. */
export async function listGrants(
  client: Client,
  terminal: Terminal,
  options: { readonly output: Format; readonly headers: boolean },
): Promise<ExitCode> {
  const rows = await allPages<AccountGrant>(client, '/api/v1/grants', 'limit=200');
  terminal.out(renderRows(rows, GRANTS, options.output, options.headers));
  return EXIT.done;
}

/** Revokes one grant with what lived from it. */
export async function revokeGrant(client: Client, terminal: Terminal, id: string, output: Format): Promise<ExitCode> {
  const path = `/api/v1/grants/${encodeURIComponent(id)}`;
  const { body } = await client.send<AccountGrant>('DELETE', path, undefined);
  if (output === 'json' || output === 'yaml') terminal.out(renderObject(body, output));
  const where = body.namespace === '' ? 'everywhere' : `in ${body.namespace}`;
  terminal.talk(`revoked: ${inert(body.subject)} is no longer ${body.role} ${inert(where)} by this grant\n`);
  if (body.source === 'configuration')
    terminal.talk('auth.people still states this grant; it stays revoked, take it out there too\n');
  return EXIT.done;
}
