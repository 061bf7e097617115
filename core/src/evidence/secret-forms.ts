/** A shape by which a secret is known wherever it stands: what comes before it, the secret, what comes after. */
export interface CredentialForm {
  readonly pattern: RegExp;
  /** True when the text in the secret's place is plainly none. */
  readonly unless?: (secret: string) => boolean;
}

export const CREDENTIAL_FORMS: readonly CredentialForm[] = [
  // A key without its end is one that was cut: all that follows and looks like it goes too.
  {
    pattern:
      /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)([\s\S]*?)(-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)/g,
  },
  { pattern: /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s)*)((?:[A-Za-z0-9+/=]{16,}(?:\\n|\s)*)+)/g },
  {
    pattern:
      /(authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?)([^\s"',]{4,})/gi,
    unless: isScheme,
  },
  { pattern: /\b((?:bearer|basic)\s+)([A-Za-z0-9+/=._~-]{8,})/gi, unless: (text) => !looksSecret(text) },
  { pattern: /(\b(?:set-)?cookie["']?:\s*)([^\r\n"]{4,})/gi },
  { pattern: /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'<>[\]]*:)([^\s/@"'<>]+)(@)/gi },
  { pattern: /(\b[a-z][a-z0-9+.-]*:\/\/)([^\s/:@"'<>]{16,})(@)/gi },
  { pattern: /()\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?)/g },
  { pattern: /()\b((?:AKIA|ASIA)[0-9A-Z]{16})\b/g },
  { pattern: /()\b(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,})/g },
  { pattern: /()\b(xox[abeoprs]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,})/g },
  {
    pattern: /()\b(AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{16,}|npm_[A-Za-z0-9]{30,}|dckr_pat_[A-Za-z0-9_-]{16,})/g,
  },
  { pattern: /()\b(hf_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|pypi-[A-Za-z0-9_-]{16,})/g },
  { pattern: /()\b(hv[sb]\.[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{32,}|shp(?:at|ss|ca|pa)_[a-fA-F0-9]{16,})/g },
];

/** `name=value`, `name: value`, `"name": "value"`; the name is judged by `isSensitiveName`. */
export const PAIR =
  /([A-Za-z0-9_.-]*(?:pass|pwd|secret|token|key|credential)[A-Za-z0-9_.-]*)((?:\\?["'])?(?:=|\s?:\s?|\s=\s)\\?)(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^\s,;&"'(){}<>]+))/gi;

/** `--token abc`. */
export const FLAG = /(--[a-z0-9-]*(?:password|passwd|secret|token|api-?key|access-?key|private-?key) )([^\s-]\S*)/gi;

const SENSITIVE =
  /pass(?:word|wd|phrase)|(?:^|[^a-z])(?:pass|pwd)(?:$|[^a-z])|pwd$|secret|token|credential|(?:api|access|account|private|signing|encryption|auth|shared|master|license|storage|webhook|session)[-_. ]?key/i;

/** The name of where a secret is, or of something about it, is none. */
const ABOUT =
  /(?:name|names|ref|reference|path|file|dir|url|uri|endpoint|issuer|expiry|expires?(?:_?in|at)?|seconds|minutes|ttl|count|length|size|type|kind|version|policy|provider|source|store|enabled|required|optional|limit|bucket|usage|used|hash_?alg\w*|algorithm|mount|volume|class|tokens|status|state|error|id)$/i;

/** Whether a value of this name is to be kept from everybody: `DB_PASSWORD`, `apiKey`, `client-secret`; not `secretName`, `max_tokens`. */
export function isSensitiveName(name: string): boolean {
  return SENSITIVE.test(name) && !ABOUT.test(name);
}

/**
 * Whether a bare word after `password: ` or `Bearer ` is a secret and not the next word of a sentence: it has a digit beside letters,
 * mixes case inside, or is too long for a word. Names of objects (`secret: db-credentials`) are left alone.
 */
export function looksSecret(word: string): boolean {
  const bare = word.replace(/[.,;:!?]+$/, '');
  if (bare.length < 6) return false;
  if (/^[a-z]+(?:[-.][a-z]+)*$/.test(bare) || /^[A-Z]?[a-z]+$/.test(bare))
    return bare.length >= 32 && !bare.includes('-');
  if (/^\[?redacted/.test(bare)) return false;
  return /\d/.test(bare) || /[a-z][A-Z]/.test(bare) || /[=+/!@#$%^&*]/.test(bare) || bare.length >= 20;
}

function isScheme(text: string): boolean {
  return /^(?:bearer|basic|token|digest|negotiate|apikey|header|failed|denied|required|missing|invalid|error)$/i.test(
    text,
  );
}
