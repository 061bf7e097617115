import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import { planReconnect } from '@hephaisto/core/stream/reconnect';
import { createParser } from 'eventsource-parser';
import { allPages } from '../all-pages.ts';
import type { Client } from '../client.ts';
import { CommandFailed, EXIT, type ExitCode } from '../exit.ts';
import { age, type Format, inert, jsonText, type Listing, renderObject, renderRows } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { actionLines, plain, quotationLines } from './incident-lines.ts';
import { incidentPath } from './incident-path.ts';
import { investigatorLines } from './investigator-lines.ts';

export interface ListOptions {
  readonly output: Format;
  readonly headers: boolean;
  readonly watch: boolean;
  readonly namespace?: string | undefined;
  readonly state?: string | undefined;
  readonly severity?: string | undefined;
  readonly open?: boolean | undefined;
}

const LISTING: Listing<IncidentSummary> = {
  name: (row) => `incident/${row.number}`,
  columns: [
    { title: 'NUMBER', value: (row) => String(row.number) },
    { title: 'SEVERITY', value: (row) => row.severity },
    { title: 'STATE', value: (row) => row.state },
    { title: 'NAMESPACE', value: (row) => row.namespace ?? '-' },
    { title: 'OWNER', value: (row) => (row.ownerName === null ? '-' : `${row.ownerKind ?? ''}/${row.ownerName}`) },
    { title: 'LASTING', value: (row) => age(row.ageSeconds) },
    { title: 'SEEN', value: (row) => `x${row.occurrences}` },
    { title: 'CERTAINTY', value: (row) => row.verdict?.certainty ?? '-' },
    { title: 'NEXT', value: (row) => row.nextStep },
    { title: 'TITLE', value: (row) => row.title, wide: true },
    { title: 'PROPOSAL', value: (row) => row.proposal?.id ?? '-', wide: true },
    { title: 'DIGEST', value: (row) => row.proposal?.digest ?? '-', wide: true },
    { title: 'ID', value: (row) => row.id, wide: true },
  ],
};

const PAGE = 200;

export async function listIncidents(client: Client, terminal: Terminal, options: ListOptions): Promise<ExitCode> {
  const rows = await allPages<IncidentSummary>(client, '/api/v1/incidents', queryOf(options));
  terminal.out(renderRows(rows, LISTING, options.output, options.headers));
  return options.watch ? watchIncidents(client, terminal, options) : EXIT.done;
}

function queryOf(options: ListOptions): string {
  const query = new URLSearchParams({ limit: String(PAGE) });
  if (options.namespace !== undefined) query.set('namespace', options.namespace);
  if (options.state !== undefined) query.set('state', options.state);
  if (options.severity !== undefined) query.set('severity', options.severity);
  if (options.open === true) query.set('open', 'true');
  return query.toString();
}

export async function getIncident(client: Client, terminal: Terminal, id: string, output: Format): Promise<ExitCode> {
  const { body } = await client.get<IncidentReport>(incidentPath(id));
  if (output === 'name') terminal.out(`incident/${body.number}\n`);
  else if (output === 'json' || output === 'yaml') terminal.out(renderObject(body, output));
  else terminal.out(describeIncident(body));
  return EXIT.done;
}

/** What a person needs at the terminal, in the order of their questions. */
function describeIncident(report: IncidentReport): string {
  const where = `${report.cluster.name} / ${report.namespace ?? '-'} / ${report.ownerKind ?? '-'} ${report.ownerName ?? '-'}`;
  const proposal = report.currentProposal;
  return [
    `#${report.number} ${report.severity} ${report.state}  ${report.title}`,
    `${where}   ${report.open ? 'for' : 'lasted'} ${age(report.ageSeconds)}, seen x${report.occurrences}`,
    `next: ${report.nextStep}`,
    report.verdict === null
      ? 'cause: nobody has looked yet'
      : `cause (${report.verdict.certainty}): ${report.verdict.statement}  [${report.verdict.evidence} quoted, ${report.verdict.gaps} gaps]`,
    ...quotationLines(report),
    ...investigatorLines(report),
    ...report.changes.map(
      (c) =>
        `changed: ${c.what}  ${c.path}  ${c.from ?? '(absent)'} -> ${c.to ?? '(absent)'}${c.decisive ? '  *' : ''}`,
    ),
    ...(proposal === null
      ? []
      : [
          `proposal ${proposal.id} (${proposal.state}, ${proposal.votes.length}/${proposal.quorum} votes): ${proposal.title}`,
          ...(proposal.voidReason === null ? [] : [`  void: ${plain(proposal.voidReason)}`]),
          ...proposal.votes.map(
            (vote) =>
              `  ${vote.decision === 'approve' ? 'approved' : 'denied'} by ${vote.by.name} at ${vote.at}${vote.reason === null ? '' : `: ${vote.reason}`}`,
          ),
          `  digest ${proposal.digest}`,
          ...proposal.diff.map((field) => `  ${field.path}: ${field.from ?? '(absent)'} -> ${field.to ?? '(absent)'}`),
          ...proposal.gates
            .filter((gate) => gate.verdict !== 'pass')
            .map((gate) => `  ${gate.verdict} ${gate.gate}: ${gate.message}`),
        ]),
    ...actionLines(report),
    ...(report.plan?.commands ?? []).map((command) => `by hand: ${command}`),
    ...report.events.map(
      (event) =>
        `${event.at}  ${event.kind} ${event.from ?? ''}${event.to === null ? '' : ` -> ${event.to}`}  ${event.reason === null ? '' : plain(event.reason)}  ${event.actor.name}`,
    ),
  ]
    .map((line) => `${inert(line)}\n`)
    .join('');
}

const RECONNECT = { firstMs: 500, longestMs: 15_000, minimumLifeMs: 5_000 };

/** One line an event, until stopped; comes back by itself after a cut and misses nothing. */
export async function watchIncidents(
  client: Client,
  terminal: Terminal,
  options: Pick<ListOptions, 'output' | 'namespace'>,
): Promise<ExitCode> {
  let last: string | undefined;
  let shortLives = 0;
  while (!terminal.stop.aborted) {
    let openedAt: number | undefined;
    try {
      const body = await client.stream(last, terminal.stop);
      openedAt = performance.now();
      const parser = createParser({
        onEvent(event) {
          last = event.id ?? last;
          if (event.event === 'reset') terminal.talk('the stream could not be resumed; some events were missed\n');
          const line = eventLine(event.event ?? '', event.data, options);
          if (line !== undefined) terminal.out(`${line}\n`);
        },
      });
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) parser.feed(chunk);
    } catch (error: unknown) {
      if (terminal.stop.aborted) break;
      if (error instanceof CommandFailed && error.exitCode !== EXIT.surroundings) throw error;
      terminal.talk('the stream was cut; trying again\n');
    }
    const livedMs = openedAt === undefined ? 0 : performance.now() - openedAt;
    const next = planReconnect({ shortLives, livedMs, random: Math.random() }, RECONNECT);
    shortLives = next.shortLives;
    await pauseFor(next.pauseMs, terminal.stop);
  }
  return EXIT.done;
}

interface StreamData {
  readonly incident: {
    readonly number: number;
    readonly title: string;
    readonly state: string;
    readonly namespace: string | null;
  };
  readonly event: {
    readonly at: string;
    readonly kind: string;
    readonly reason: string | null;
    readonly actor: string;
  };
}

function eventLine(name: string, text: string, options: Pick<ListOptions, 'output' | 'namespace'>): string | undefined {
  if (!['incident', 'approval', 'action'].includes(name)) return undefined;
  const data = JSON.parse(text) as StreamData;
  if (options.namespace !== undefined && data.incident.namespace !== options.namespace) return undefined;
  if (options.output === 'json') return jsonText({ ...data, type: name });
  const { incident, event } = data;
  return inert(
    `${event.at}  #${incident.number} ${incident.state}  ${event.kind} ${event.reason ?? ''}  ${incident.title}`,
  );
}

function pauseFor(milliseconds: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    }
    stop.addEventListener('abort', done, { once: true });
    if (stop.aborted) done();
  });
}
