import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configurationPage, exampleFile } from '@hephaisto/core/config/document';
import { problemPage } from '@hephaisto/core/report/problem-page';
import { metricsPage } from '@hephaisto/operator/adapters/metrics/metrics-page';
import { openApiDocument } from '@hephaisto/operator/api/openapi-document';
import { helpPage } from '@hephaisto/operator/cli/help-page';
import { VERSION } from '@hephaisto/operator/version';
import { gatePage } from '@hephaisto/policy/gate-page';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Every file that is made from code, by its path in the repository. */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/hephaisto.example.yaml': exampleFile,
  'docs/reference/problems.md': problemPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/command-line.md': helpPage,
  'docs/reference/gates.md': gatePage,
  'docs/reference/openapi.json': async () => `${JSON.stringify(await openApiDocument(VERSION), null, 2)}\n`,
};

/** Paths below the root whose text is not what the code makes of it today. */
export async function outdated(root: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [path, make] of Object.entries(GENERATED)) {
    const file = join(root, path);
    if (!existsSync(file) || readFileSync(file, 'utf8') !== (await make())) wrong.push(path);
  }
  return wrong;
}

/** Writes every generated file, or with `--check` only says which ones are not current. */
async function main(args: readonly string[]): Promise<number> {
  const wrong = await outdated(ROOT);
  if (args.includes('--check')) {
    if (wrong.length > 0)
      process.stderr.write(
        `expected generated files to be current, found others: ${wrong.join(', ')}; run npm run generate\n`,
      );
    return wrong.length > 0 ? 1 : 0;
  }
  for (const path of wrong) {
    const file = join(ROOT, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, (await GENERATED[path]?.()) ?? '');
    process.stdout.write(`${path}\n`);
  }
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
