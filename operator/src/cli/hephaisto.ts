import { VERSION } from '../version.ts';
import { readEnvironment } from './environment.ts';
import { runCommandLine } from './program.ts';

/** Ctrl-C or SIGTERM asks to stop, once; a second one ends at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  return stop.signal;
}

process.exitCode = await runCommandLine(
  process.argv.slice(2),
  {
    out: (text) => void process.stdout.write(text),
    talk: (text) => void process.stderr.write(text),
    env: readEnvironment(),
    stop: stopSignal(),
  },
  VERSION,
);
