import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** What axe finds wrong with the page as it is, one line each. Brought in by the driver, past the page's own content policy. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(SOURCE);
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.slice(0, 3).map(({ target, failureSummary }) => ({ target, failureSummary })) })))`,
  );
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map((node) => `${node.target.join(' ')}: ${(node.failureSummary ?? '').replaceAll('\n', ' ').slice(0, 160)}`).join(' | ')})`,
  );
}
