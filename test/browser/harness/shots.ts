import { join } from 'node:path';
import type { Page } from 'playwright-core';

let folder = '.';

export function setShotsFolder(path: string): void {
  folder = path;
}

/** Keeps a picture of what the reader sees now. */
export async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
