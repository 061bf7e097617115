import { parseArgs } from 'node:util';
import { STORIES } from '../stories/story-book.ts';

/** What `npm run demo` was asked for. */
export interface DemoOptions {
  readonly port: number;
  readonly data: string;
  /** `all` plays every story once, in order. */
  readonly story: string;
  readonly speed: number;
  readonly approveAs?: string;
  /** Configuration file whose section `model` is used. */
  readonly model?: string;
  readonly json: boolean;
  readonly exit: boolean;
}

export type Parsed =
  | { readonly kind: 'run'; readonly options: DemoOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'usage'; readonly message: string };

/** Fast enough not to bore, slow enough to follow. */
const DEFAULT_SPEED = 10;

const HELP = `npm run demo -- [options]

  --port N           port to listen on (default 8080; 0 takes a free one)
  --data DIR         folder of the embedded database (default .hephaisto/demo); ready.json in it holds
                     address and sign-in links for programs as long as the demo runs
  --story ID|all     story to play at the start (default bad-rollout); stories:
${Object.values(STORIES)
  .map((story) => `                       ${story.id.padEnd(24)} ${story.title}`)
  .join('\n')}
  --speed N          divides waiting: back-off, verification, quiet (default ${DEFAULT_SPEED})
  --approve-as NAME  nobody is needed: the director signs in as ana or ben and approves
  --model FILE       a configuration file: the model that it names looks where rules end (default: rules alone)
  --json             one JSON object a line on stdout, nothing else
  --exit             end after the story; exit code 1 when it went otherwise than told
`;

/** Reads the command line; a mistake gives one sentence. */
export function parseDemoOptions(args: readonly string[], people: readonly string[]): Parsed {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        port: { type: 'string', default: '8080' },
        data: { type: 'string', default: '.hephaisto/demo' },
        story: { type: 'string', default: 'bad-rollout' },
        speed: { type: 'string', default: String(DEFAULT_SPEED) },
        'approve-as': { type: 'string' },
        model: { type: 'string' },
        json: { type: 'boolean', default: false },
        exit: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help', text: HELP };
    return check(values, people);
  } catch (error: unknown) {
    const found = error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error);
    return {
      kind: 'usage',
      message: `expected the options that \`npm run demo -- --help\` lists, found: ${lower(found)}`,
    };
  }
}

interface Values {
  readonly port: string;
  readonly data: string;
  readonly story: string;
  readonly speed: string;
  readonly 'approve-as'?: string | undefined;
  readonly model?: string | undefined;
  readonly json: boolean;
  readonly exit: boolean;
}

function check(values: Values, people: readonly string[]): Parsed {
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    return usage(`expected --port to be a number from 0 to 65535, found \`${values.port}\``);
  const speed = Number(values.speed);
  if (!Number.isFinite(speed) || speed < 1 || speed > 100)
    return usage(`expected --speed to be a number from 1 to 100, found \`${values.speed}\``);
  if (values.story !== 'all' && !Object.hasOwn(STORIES, values.story))
    return usage(`expected --story to be all or one of ${Object.keys(STORIES).join(', ')}, found \`${values.story}\``);
  if (values.data === '') return usage('expected --data to name a folder, found an empty name');
  const approveAs = values['approve-as'];
  if (approveAs !== undefined && !people.includes(approveAs))
    return usage(`expected --approve-as to be one of ${people.join(', ')}, found \`${approveAs}\``);
  const { data, story, json, exit, model } = values;
  return {
    kind: 'run',
    options: {
      port,
      data,
      story,
      speed,
      json,
      exit,
      ...(approveAs === undefined ? {} : { approveAs }),
      ...(model === undefined ? {} : { model }),
    },
  };
}

function usage(message: string): Parsed {
  return { kind: 'usage', message };
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
