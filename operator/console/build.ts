import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(FOLDER, '../..');
const DIST = join(FOLDER, 'dist');
const STAMP = 'built-from.txt';
/** How long the files of an earlier build stay for servers that began with them. */
const KEPT_MS = 24 * 3_600_000;
/** What the built files depend on: the console itself, the schemas whose values it imports, and the versions of the packages. */
const SOURCES = [
  'operator/console/{src,public}/**/*',
  'operator/console/{index.html,build.ts,package.json}',
  'core/src/**/*.ts',
];

export interface ConsoleBuild {
  /** Folder with `index.html` and `assets/`. */
  readonly folder: string;
  readonly built: boolean;
}

/**
 * Builds the console into `dist`, unless what is there was built from the same bytes. `say` gets one line of progress at a time. Rejects
 * with the bundler's error.
 */
export async function buildConsole(say: (line: string) => void): Promise<ConsoleBuild> {
  const digest = digestOfSources();
  if (stampOf(DIST) === digest) return { folder: DIST, built: false };
  say('console: building');
  dropOld(join(DIST, 'assets'));
  const started = performance.now();
  // Loaded only here: a console that is already built must not cost the bundler's start.
  const [{ build }, { default: react }] = [await import('vite'), await import('@vitejs/plugin-react')];
  await build({
    root: FOLDER,
    configFile: false,
    logLevel: 'warn',
    envDir: false,
    plugins: [react()],
    build: {
      outDir: DIST,
      // A server that runs goes on serving the pages that it began with; their files carry their digest in the name.
      emptyOutDir: false,
      target: ['chrome123', 'firefox121', 'safari17.5'],
      // An inlined file would be a data: address, which the content policy allows for pictures only.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
    },
  });
  writeFileSync(join(DIST, STAMP), `${digest}\n`);
  say(`console: built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return { folder: DIST, built: true };
}

/** Takes away what was built so long ago that no server can still be asked for it. */
function dropOld(folder: string): void {
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, file);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}

/** Folder of the built console where it is current; undefined when it has to be built. */
export function currentConsole(): string | undefined {
  return stampOf(DIST) === digestOfSources() ? DIST : undefined;
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    if (file.endsWith('.test.ts')) continue;
    const bytes = readIfFile(join(ROOT, file));
    if (bytes !== undefined) hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

function readIfFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR') return undefined;
    throw error;
  }
}

function stampOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, STAMP), 'utf8').trim();
  } catch {
    return undefined;
  }
}

if (import.meta.main) await buildConsole((line) => process.stderr.write(`${line}\n`));
