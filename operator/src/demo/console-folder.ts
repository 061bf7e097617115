import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { currentConsole } from '../../console/build.ts';

const BUILD = fileURLToPath(new URL('../../console/build.ts', import.meta.url));

/**
 * Folder of the built console. A console that is not current is built in a process of its own, since a bundler would leave hundreds of
 * megabytes in this one. Rejects when it cannot be built.
 */
export async function consoleFolder(say: (line: string) => void): Promise<string> {
  const current = currentConsole();
  if (current !== undefined) return current;
  say('building the console, once');
  await new Promise<void>((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', BUILD], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-2000);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`expected the console to be built, found exit ${code}: ${complaint.trim()}`));
    });
  });
  const built = currentConsole();
  if (built === undefined)
    throw new Error('expected the console that was just built to be current, found it changed meanwhile; start again');
  return built;
}
