import type { Proposal } from '@hephaisto/core/report/action';
import type { IncidentReport } from '@hephaisto/core/report/incident';
import type { Client } from '../client.ts';
import { CommandFailed, EXIT, type ExitCode } from '../exit.ts';
import { type Format, inert, renderObject } from '../output.ts';
import type { Terminal } from '../terminal.ts';

export interface DecideOptions {
  readonly digest?: string | undefined;
  readonly reason?: string | undefined;
  readonly output: Format;
}

interface Decision {
  readonly proposal: { readonly id: string; readonly state: string };
  readonly votes: number;
  readonly quorum: number;
}

/**
 * Votes on a proposal, named by its id or by its incident. The digest must be given, as it was shown, so that no script approves what
 * nobody has seen; without it the proposal is shown and nothing is decided.
 */
export async function decide(
  client: Client,
  terminal: Terminal,
  decision: 'approve' | 'deny',
  id: string,
  options: DecideOptions,
): Promise<ExitCode> {
  const proposal = await findProposal(client, id);
  if (proposal.state !== 'Open')
    throw new CommandFailed(
      EXIT.failed,
      `expected an open proposal, found one that is ${proposal.state}; there is nothing left to decide on it`,
    );
  if (options.digest === undefined) {
    terminal.talk(inertLines(describe(proposal)));
    throw new CommandFailed(
      EXIT.usage,
      `expected --digest with the digest of what you have read, found none; repeat with --digest ${proposal.digest}`,
    );
  }
  if (!/^[0-9a-f]{64}$/.test(options.digest))
    throw new CommandFailed(
      EXIT.usage,
      `expected the whole digest, 64 characters of 0-9 and a-f, found \`${options.digest}\`; nothing shorter is accepted; read it with \`incidents get ${proposal.incident.number}\``,
    );
  if (decision === 'deny' && options.reason === undefined)
    throw new CommandFailed(EXIT.usage, 'expected --reason, found none; say why you deny');
  const { body } = await client.send<Decision>('POST', `/api/v1/proposals/${proposal.id}/${decision}`, {
    digest: options.digest,
    ...(options.reason === undefined ? {} : { reason: options.reason }),
  });
  if (options.output === 'json' || options.output === 'yaml') terminal.out(renderObject(body, options.output));
  else if (options.output === 'name') terminal.out(`proposal/${body.proposal.id}\n`);
  else
    terminal.out(`proposal ${body.proposal.id} is ${body.proposal.state} with ${body.votes} of ${body.quorum} votes\n`);
  return EXIT.done;
}

async function findProposal(client: Client, id: string): Promise<Proposal> {
  if (!/^\d+$/.test(id)) {
    const { body } = await client.get<Proposal>(`/api/v1/proposals/${encodeURIComponent(id)}`);
    return body;
  }
  const { body } = await client.get<IncidentReport>(`/api/v1/incidents/${id}`);
  if (body.currentProposal === null)
    throw new CommandFailed(EXIT.failed, `expected a proposal on incident ${id}, found none; it is ${body.state}`);
  return body.currentProposal;
}

function describe(proposal: Proposal): readonly string[] {
  return [
    `${proposal.title}  (${proposal.state}, risk ${proposal.action.risk})`,
    ...proposal.diff.map((field) => `  ${field.path}: ${field.from ?? '(absent)'} -> ${field.to ?? '(absent)'}`),
    ...proposal.gates.map((gate) => `  ${gate.verdict} ${gate.gate}: ${gate.message}`),
    `digest ${proposal.digest}`,
  ];
}

function inertLines(lines: readonly string[]): string {
  return lines.map((line) => `${inert(line)}\n`).join('');
}
