import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { earlyOf, type Manifest } from './early.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(FOLDER, '../..');
const DIST = join(FOLDER, 'dist');
const STAMP = 'built-from.txt';
const MANIFEST = 'manifest.json';
const EARLY = 'early.json';
/** How long the files of an earlier build stay for servers that began with them. */
const KEPT_MS = 24 * 3_600_000;
/** What the built files depend on: the console itself, the schemas whose values it imports, and the versions of the packages. */
const SOURCES = [
  'operator/console/{src,public}/**/*',
  'operator/console/{index.html,build.ts,early.ts,package.json}',
  'core/src/**/*.ts',
];

export interface ConsoleBuild {
  /** Folder with `index.html`, `early.json` (what each page needs at once) and `assets/`, each of these also compressed. */
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
      manifest: MANIFEST,
      target: ['chrome123', 'firefox121', 'safari17.5'],
      // An inlined file would be a data: address, which the content policy allows for pictures only.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
      // What several pages share is one file: a browser fetches six at a time, and a page of eight small ones waits twice.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } } },
    },
  });
  const manifest = JSON.parse(readFileSync(join(DIST, MANIFEST), 'utf8')) as Manifest;
  writeFileSync(join(DIST, EARLY), JSON.stringify(earlyOf(manifest)));
  compress(join(DIST, 'assets'));
  writeFileSync(join(DIST, STAMP), `${digest}\n`);
  say(`console: built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return { folder: DIST, built: true };
}

/**
 * Puts smaller copies beside each script and style of `folder`, so that no request waits for compressing. A file that was written anew gets
 * new ones, so that building again mends whatever stands there.
 */
export function compress(folder: string): void {
  for (const file of readdirSync(folder)) {
    if (!/\.(js|css)$/.test(file)) continue;
    const path = join(folder, file);
    if (isNewer(`${path}.gz`, path) && isNewer(`${path}.br`, path)) continue;
    const bytes = readFileSync(path);
    writeWhole(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    // The highest quality takes seconds for a percent or two.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeWhole(`${path}.br`, brotliCompressSync(bytes, { params }));
  }
}

function isNewer(path: string, than: string): boolean {
  return existsSync(path) && statSync(path).mtimeMs > statSync(than).mtimeMs;
}

/** All of it or nothing: a server that runs would send half a copy as the whole file, and browsers keep it for a year. */
function writeWhole(path: string, bytes: Uint8Array): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, bytes);
  renameSync(unfinished, path);
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
