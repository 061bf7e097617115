import { readFile } from 'node:fs/promises';
import { fixedPolicy, type PolicySource, readPolicy } from '../act/policy-source.ts';

/** The policy's text is missing or is no policy. */
export class PolicyRefused extends Error {
  readonly tag = 'PolicyRefused';
  constructor(message: string) {
    super(message);
    this.name = 'PolicyRefused';
  }
}

/** Nothing may be done anywhere: what an installation without a policy file gets. */
const EMPTY_POLICY = 'version: 1\n';

/** Reads the policy from its file, or from a text given in process. Throws `PolicyRefused` with every problem. */
export async function loadPolicy(file: string | undefined, text: string | undefined): Promise<PolicySource> {
  const content = text ?? (file === undefined ? EMPTY_POLICY : await readText(file));
  const reading = readPolicy(content);
  if (reading.kind === 'loaded') return fixedPolicy(reading.loaded);
  throw new PolicyRefused(
    `expected a policy in ${file ?? 'the text given'}, found ${reading.reason}: ${reading.message}`,
  );
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error: unknown) {
    throw new PolicyRefused(
      `expected a readable policy file at \`${file}\`, found ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
