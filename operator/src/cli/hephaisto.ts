import { VERSION } from '../version.ts';
import { readEnvironment } from './environment.ts';
import { runCommandLine } from './program.ts';
import { stopSignal } from './stop-signal.ts';

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
