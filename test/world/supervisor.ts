import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { markForTests } from './borrowed.ts';
import { describeWorld } from './describe-world.ts';
import { stateFile } from './places.ts';
import { ALL_PARTS, startWorld } from './world.ts';

/**
 * Holds the standing world. Speaks JSON lines on stdout: `say`, then `ready` or `failed`. Until it is told `stay` it lives and dies with
 * whoever started it; afterwards it runs until SIGTERM.
 */
async function main(): Promise<void> {
  let stays = false;
  let stop: (() => Promise<void>) | undefined;
  const end = async (code: number) => {
    rmSync(stateFile(), { force: true });
    await stop?.();
    process.exit(code);
  };
  process.stdin.on('data', (chunk: Buffer) => {
    if (chunk.toString().includes('stay')) stays = true;
  });
  process.stdin.on('end', () => {
    if (!stays) void end(1);
  });
  process.on('SIGTERM', () => void end(0));
  process.on('SIGINT', () => void end(0));
  const tell = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
  process.stdout.on('error', () => {});
  try {
    const world = await startWorld(ALL_PARTS, (line) => tell({ type: 'say', line }));
    stop = () => world.stop();
    if (world.kubeconfig && world.controlPlane)
      await markForTests(readFileSync(world.kubeconfig, 'utf8'), world.controlPlane);
    const state = { ...(await describeWorld(world)), pid: process.pid };
    mkdirSync(dirname(stateFile()), { recursive: true });
    writeFileSync(stateFile(), JSON.stringify(state), { mode: 0o600 });
    tell({ type: 'ready', state });
  } catch (error: unknown) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
    await end(1);
  }
}

await main();
