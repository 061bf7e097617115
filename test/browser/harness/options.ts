import { parseArgs } from 'node:util';

export interface Options {
  /** A running demo; one is started when absent. */
  readonly baseUrl: string | undefined;
  /** Data folder of the running demo, where it leaves its sign-in links; found by the port when absent. */
  readonly data: string | undefined;
  /** File for the counts as JSON. */
  readonly counts: string | undefined;
  readonly json: boolean;
  readonly shots: string;
  /** Runs only checks whose name contains it. */
  readonly only: string | undefined;
}

export const USAGE = `npm run test:browser -- [options]

  --base-url URL   a running demo; without it one is started and stopped
  --data DIR       that demo's data folder, for its sign-in links (default: found by its port)
  --shots DIR      where screenshots go (default .hephaisto/shots)
  --only TEXT      only checks whose name contains it
  --counts FILE    also writes the counts as JSON
  --json           one JSON object a line, a summary last

Exit code 0 when every check holds, 1 when one does not, 2 for a wrong option, 5 when Chromium is missing.
`;

export function parseOptions(args: readonly string[]): Options | { readonly usage: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'base-url': { type: 'string' },
        data: { type: 'string' },
        counts: { type: 'string' },
        shots: { type: 'string', default: '.hephaisto/shots' },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { usage: USAGE };
    const baseUrl = values['base-url']?.replace(/\/$/, '');
    if (baseUrl !== undefined && !URL.canParse(baseUrl))
      return { usage: `expected --base-url to be an address, found \`${baseUrl}\`\n\n${USAGE}` };
    return {
      baseUrl,
      data: values.data,
      counts: values.counts,
      json: values.json,
      shots: values.shots,
      only: values.only,
    };
  } catch (error: unknown) {
    return { usage: `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}` };
  }
}
