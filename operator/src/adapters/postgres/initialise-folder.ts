/** Run as a process of its own: creates database files in the folder given as the first argument, and takes its memory with it when it ends. */
import { startEngine } from './embedded-engine.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('expected the folder to initialise as the first argument, found none');
const engine = await startEngine({ folder });
await engine.close();
