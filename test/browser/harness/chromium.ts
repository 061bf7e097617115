import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { WrongCall } from './wrong-call.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'] as const;
const LAUNCH = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the Chromium that HEPHAISTO_TEST_CHROMIUM names, or else the one on the path. Throws WrongCall where there is none. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), headless: true, args: LAUNCH });
}

function chromiumPath(): string {
  const named = process.env.HEPHAISTO_TEST_CHROMIUM;
  if (named !== undefined) {
    if (isProgram(named)) return named;
    throw new WrongCall(`expected HEPHAISTO_TEST_CHROMIUM to name a program, found \`${named}\``, 5);
  }
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
  if (found !== undefined) return found;
  throw new WrongCall(
    `expected Chromium on the path, found none of ${NAMES.join(', ')}; install it (Debian: apt-get install chromium) or name it in HEPHAISTO_TEST_CHROMIUM`,
    5,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
