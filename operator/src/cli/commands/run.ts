import { builtConsole, consoleExtension } from '../../api/console-files.ts';
import { bootFailure } from '../boot-failure.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Runs the operator until it is asked to stop. Prints one JSON line on stdout once it serves, and on a terminal's loopback the one-time
 * link of the first admin on stderr.
 */
export async function runOperator(
  terminal: Terminal,
  configFile: string | undefined,
  version: string,
): Promise<ExitCode> {
  const config = await loadConfig(configFile, terminal.env);
  const { startOperator } = await import('../../main.ts');
  terminal.talk(`hephaisto ${version} is starting\n`);
  try {
    const page = builtConsole();
    const operator = await startOperator(config, {
      onProgress: (message) => terminal.talk(`${message} …\n`),
      extensions: page === undefined ? [] : [consoleExtension(page)],
    });
    try {
      // Before the ready line: whoever waits for that one finds the link already there.
      if (operator.firstAdmin !== undefined)
        terminal.talk(`sign in once as ${operator.firstAdmin}: ${await operator.signInUrl(operator.firstAdmin)}\n`);
      terminal.out(`${JSON.stringify({ v: 1, type: 'ready', url: operator.url, pid: process.pid })}\n`);
      await stopped(terminal.stop);
      terminal.talk('stopping …\n');
    } finally {
      await operator.close();
    }
    return EXIT.done;
  } catch (error: unknown) {
    throw bootFailure(error, config);
  }
}

function stopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}
