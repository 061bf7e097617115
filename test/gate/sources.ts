import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A source file as a gate sees it: path relative to the root with forward slashes, and its text. Planted violations are made of these. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A rule broken at a place. */
export interface Violation {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

const SKIPPED = new Set(['node_modules', 'generated', 'dist', '.git', '.cache', '.hephaisto', 'bin']);

/** Every TypeScript source below the given folders, generated code left out. */
export function readSources(
  folders: readonly string[] = ['core', 'policy', 'verifier', 'operator', 'test'],
): readonly Source[] {
  return folders.flatMap((folder) => walk(join(ROOT, folder)));
}

function walk(folder: string): Source[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : walk(path);
    if (!/\.tsx?$/.test(entry.name) || entry.name.includes('.gen.')) return [];
    return [{ path: relative(ROOT, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }];
  });
}

export function isTest(path: string): boolean {
  return (
    path.endsWith('.test.ts') ||
    path.endsWith('.test.tsx') ||
    path.startsWith('test/') ||
    /(^|\/)testing\//.test(path) ||
    /[-.](fixtures?|cases|samples?)\.ts$/.test(path)
  );
}

/** The text without comments and with string contents kept; good enough to look for words that code uses. */
export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[\s;{}(,])\/\/[^\n]*/g, '$1');
}
