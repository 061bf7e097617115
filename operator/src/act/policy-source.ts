import { type ParsedPolicy, type PolicyFile, parsePolicy } from '@hephaisto/policy/policy-file';
import { parseBoundedYaml } from '../boot/bounded-yaml.ts';
import { sha256 } from './digest.ts';

/** The policy in force, named by the hash of its canonical text. */
export interface LoadedPolicy {
  readonly policy: PolicyFile;
  readonly hash: string;
}

/** Asked anew for every decision; whoever replaces the policy replaces it whole. */
export interface PolicySource {
  current(): LoadedPolicy;
}

export type PolicyReading =
  | { readonly kind: 'loaded'; readonly loaded: LoadedPolicy }
  | { readonly kind: 'refused'; readonly reason: 'not-yaml' | 'not-a-policy'; readonly message: string };

/** Reads a policy from the text of its file. A text that is not wholly understood is no policy. */
export function readPolicy(text: string): PolicyReading {
  let data: unknown;
  try {
    data = parseBoundedYaml(text);
  } catch (error: unknown) {
    return {
      kind: 'refused',
      reason: 'not-yaml',
      message: `expected YAML: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  const parsed: ParsedPolicy = parsePolicy(data);
  if (parsed.kind === 'policy')
    return { kind: 'loaded', loaded: { policy: parsed.policy, hash: sha256(parsed.canonical) } };
  const problems = parsed.problems.map(({ path, message }) => `\`${path === '' ? 'policy' : path}\`: ${message}`);
  return { kind: 'refused', reason: 'not-a-policy', message: problems.join('; ') };
}

export function fixedPolicy(loaded: LoadedPolicy): PolicySource {
  return { current: () => loaded };
}
