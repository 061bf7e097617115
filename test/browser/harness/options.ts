import { parseArgs } from 'node:util';

export interface Options {
  /** A running demo; one is started when absent. */
  readonly baseUrl: string | undefined;
  /** File whose lines hold the demo's first line, with the sign-in links. */
  readonly links: string | undefined;
  readonly json: boolean;
  readonly shots: string;
  /** Runs only checks whose name contains it. */
  readonly only: string | undefined;
}

export const USAGE = `npm run test:browser -- [options]

  --base-url URL   a running demo; without it one is started and stopped
  --links FILE     output of that demo (--json), for its sign-in links; default .hephaisto/demo/ready.json
  --shots DIR      where screenshots go (default .hephaisto/shots)
  --only TEXT      only checks whose name contains it
  --json           one JSON object a line, a summary last
`;

export function parseOptions(args: readonly string[]): Options | { readonly usage: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'base-url': { type: 'string' },
        links: { type: 'string' },
        shots: { type: 'string', default: '.hephaisto/shots' },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { usage: USAGE };
    return {
      baseUrl: values['base-url']?.replace(/\/$/, ''),
      links: values.links,
      json: values.json,
      shots: values.shots,
      only: values.only,
    };
  } catch (error: unknown) {
    return { usage: `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}` };
  }
}
