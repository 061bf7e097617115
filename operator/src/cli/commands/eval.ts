import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { UNTRACED } from '@hephaisto/core/ports/telemetry';
import { systemClock, systemTimers } from '../../adapters/clock/clock.ts';
import { createIds } from '../../adapters/ids/ids.ts';
import { migrate } from '../../adapters/postgres/migrate.ts';
import { openPglite } from '../../adapters/postgres/pglite.ts';
import type { EvalInvestigator, EvalRow } from '../../demo/eval/run-eval.ts';
import type { Story } from '../../demo/stories/story.ts';
import { createIncidentLog } from '../../flow/incident-log/incident-log.ts';
import type { StageDeps } from '../../flow/stage.ts';
import { CommandFailed, EXIT, type ExitCode } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import { type Format, type Listing, renderObject, renderRows } from '../output.ts';
import type { Terminal } from '../terminal.ts';

export interface EvalCommandOptions {
  /** Configuration files, one for each model to be tried. */
  readonly config: readonly string[];
  readonly story: string;
  readonly output: Format;
  readonly headers: boolean;
}

/**
 * Puts the faults of the stories to the rules and to each configured model, on a simulated cluster and a database in memory, and says how each
 * did. Fails when the rules get one wrong: a model is only measured.
 */
export async function evaluate(terminal: Terminal, options: EvalCommandOptions): Promise<ExitCode> {
  const { runEval } = await import('../../demo/eval/run-eval.ts');
  const stories = await storiesOf(options.story);
  const models = await Promise.all(options.config.map((file) => modelOf(terminal, file)));
  const investigators = [await rules(), ...toldApart(models, options.config)];
  terminal.talk('starting a simulated cluster and a database in memory\n');
  const db = await openPglite({ folder: 'memory' });
  try {
    await migrate(db);
    const rows = await runEval({
      deps: evalDeps(db, terminal),
      stories,
      investigators,
      onProgress: (message) => terminal.talk(`${message}\n`),
      onRow: () => undefined,
    });
    const summary = investigators.map(({ name }) => summaryOf(name, rows));
    if (options.output === 'json' || options.output === 'yaml')
      terminal.out(renderObject({ v: 1, rows, summary }, options.output));
    else {
      terminal.out(renderRows(rows, ROWS, options.output, options.headers));
      terminal.out(`\n${renderRows(summary, SUMMARY, options.output, options.headers)}`);
    }
    const wrong = rows.some((row) => row.investigator === 'rules' && !(row.cause && row.entity && row.proposal));
    return wrong ? EXIT.failed : EXIT.done;
  } finally {
    await db.close();
  }
}

async function storiesOf(id: string): Promise<readonly Story[]> {
  const { STORIES, findStory } = await import('../../demo/stories/story-book.ts');
  if (id === 'all') return Object.values(STORIES).filter((story) => story.expected.incidents.length > 0);
  const story = findStory(id);
  if (story === undefined)
    throw new CommandFailed(
      EXIT.usage,
      `expected a story or all, found \`${id}\`; stories are ${Object.keys(STORIES).join(', ')}`,
    );
  return [story];
}

async function rules(): Promise<EvalInvestigator> {
  const { createDiagnostician } = await import('../../investigate/diagnostician.ts');
  return { name: 'rules', open: async () => ({ investigator: createDiagnostician(), close: () => undefined }) };
}

async function modelOf(terminal: Terminal, file: string): Promise<EvalInvestigator> {
  const config = await loadConfig(file, terminal.env);
  if (config.model.provider === 'none')
    throw new CommandFailed(EXIT.usage, `expected a model in ${file}, found provider \`none\`; set model.provider`);
  const { openModel } = await import('../../wiring/model.ts');
  const { requireEpoch } = await import('../../adapters/postgres/leases.ts');
  const { TOOLBOX } = await import('../../investigate/toolbox.ts');
  return {
    name: `${config.model.provider}:${config.model.name ?? ''}`,
    // A proven cause is asked about too: what is measured here is the model.
    open: (deps, underLease) =>
      openModel(
        { ...deps, requireEpoch, underLease, random: Math.random, tools: TOOLBOX, settleMs: 0 },
        { ...config.model, skipProven: false },
        'evaluation',
      ),
  };
}

/** The same model with other settings is another investigator: where names are the same, each has its file's beside it. */
function toldApart(models: readonly EvalInvestigator[], files: readonly string[]): readonly EvalInvestigator[] {
  const isOnce = (name: string): boolean => models.filter((model) => model.name === name).length === 1;
  return models.map((model, index) =>
    isOnce(model.name) ? model : { ...model, name: `${model.name} (${files[index] ?? ''})` },
  );
}

function evalDeps(db: StageDeps['db'], terminal: Terminal): StageDeps {
  const ids = createIds(systemClock);
  const complain = (message: string, fields?: Readonly<Record<string, unknown>>) =>
    terminal.talk(`${message} ${fields?.error instanceof Error ? fields.error.message : ''}\n`);
  return {
    db,
    clock: systemClock,
    timers: systemTimers,
    ids,
    log: { debug: () => undefined, info: () => undefined, warn: complain, error: complain },
    metrics: { count: () => undefined, observe: () => undefined, gauge: () => undefined },
    tracer: UNTRACED,
    faults: NO_FAULTS,
    incidents: createIncidentLog({ ids, routes: [] }),
    holder: { pod: 'eval', bootId: 'eval' },
    isAlive: () => true,
  };
}

interface Summary {
  readonly investigator: string;
  readonly incidents: number;
  /** How often its own conclusion was judged. Where a model did not come to one, the rules' result stands and was judged in its place. */
  readonly concluded: number;
  readonly causes: number;
  readonly entities: number;
  readonly proposals: number;
  readonly ungrounded: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly secondsMedian: number;
}

function summaryOf(investigator: string, all: readonly EvalRow[]): Summary {
  const rows = all.filter((row) => row.investigator === investigator);
  const seconds = rows.map((row) => row.seconds).sort((a, b) => a - b);
  const sum = (of: (row: EvalRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    investigator,
    incidents: rows.length,
    concluded: rows.filter(isItsOwn).length,
    causes: sum((row) => Number(row.cause)),
    entities: sum((row) => Number(row.entity)),
    proposals: sum((row) => Number(row.proposal)),
    ungrounded: sum((row) => row.ungrounded),
    tokens: sum((row) => row.tokens),
    costUsd: sum((row) => row.costUsd),
    secondsMedian: seconds[Math.floor(seconds.length / 2)] ?? 0,
  };
}

const isItsOwn = (row: EvalRow): boolean => row.note === '' || row.note === 'concluded';
const right = (value: boolean) => (value ? 'right' : 'WRONG');

const ROWS: Listing<EvalRow> = {
  name: (row) => `${row.story}/${row.incident}/${row.investigator}`,
  columns: [
    { title: 'STORY', value: (row) => row.story },
    { title: 'INCIDENT', value: (row) => row.incident },
    { title: 'INVESTIGATOR', value: (row) => row.investigator },
    { title: 'CAUSE', value: (row) => right(row.cause) },
    { title: 'ENTITY', value: (row) => right(row.entity) },
    { title: 'PROPOSAL', value: (row) => right(row.proposal) },
    { title: 'CERTAINTY', value: (row) => row.certainty },
    { title: 'UNGROUNDED', value: (row) => String(row.ungrounded) },
    { title: 'STEPS', value: (row) => String(row.steps) },
    { title: 'CALLS', value: (row) => String(row.calls) },
    { title: 'TOKENS', value: (row) => String(row.tokens) },
    { title: 'USD', value: (row) => row.costUsd.toFixed(4) },
    { title: 'SECONDS', value: (row) => row.seconds.toFixed(1) },
    { title: 'ANSWER', value: (row) => (isItsOwn(row) ? 'its own' : `the rules’, ${row.note}`) },
    { title: 'SAID', value: (row) => row.said, wide: true },
  ],
};

const SUMMARY: Listing<Summary> = {
  name: (row) => row.investigator,
  columns: [
    { title: 'INVESTIGATOR', value: (row) => row.investigator },
    { title: 'ITS OWN', value: (row) => `${row.concluded} of ${row.incidents}` },
    { title: 'CAUSES', value: (row) => `${row.causes} of ${row.incidents}` },
    { title: 'ENTITIES', value: (row) => `${row.entities} of ${row.incidents}` },
    { title: 'PROPOSALS', value: (row) => `${row.proposals} of ${row.incidents}` },
    { title: 'UNGROUNDED', value: (row) => String(row.ungrounded) },
    { title: 'TOKENS', value: (row) => String(row.tokens) },
    { title: 'USD', value: (row) => row.costUsd.toFixed(4) },
    { title: 'SECONDS (MEDIAN)', value: (row) => row.secondsMedian.toFixed(1) },
  ],
};
