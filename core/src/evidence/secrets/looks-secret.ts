/** Beyond this length a word without blanks is no word of a sentence. */
const LONGEST_WORD = 64;

/**
 * Whether a bare word after `password: ` or `Bearer ` is a secret and not the next word of a sentence: it has a digit beside letters,
 * mixes case inside, or is too long for a word. Names of objects (`secret: db-credentials`) are left alone.
 */
export function looksSecret(word: string): boolean {
  if (word.length > LONGEST_WORD) return true;
  const bare = withoutPunctuation(word);
  if (bare.length < 6) return false;
  if (/^[a-z]+(?:[-._/:][a-z]+)*$/.test(bare) || /^[A-Z]?[a-z]+$/.test(bare) || /^[A-Z_]+$/.test(bare))
    return bare.length >= 32 && !/[-._/:]/.test(bare);
  if (/^\[?redacted/.test(bare)) return false;
  return /\d/.test(bare) || /[a-z][A-Z]/.test(bare) || /[=+/!@#$%^&*]/.test(bare) || bare.length >= 20;
}

/** Long, with letters and digits that follow no pattern of names, times, paths or counters. */
export function looksRandom(word: string): boolean {
  if (word.length > LONGEST_WORD) return true;
  if (word.length < 8 || /[\s()[\]{}<>]/.test(word) || /^(?:0x|\/|\w{1,16}:\/\/)/.test(word)) return false;
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(word)) return false;
  if (/^\d{4}-\d\d-\d\d/.test(word) || /^[\d.:,-]+$/.test(word)) return false;
  // Base64 with its padding, and the 40 characters of an access key.
  if (/^[A-Za-z0-9+/]{7,64}={1,2}$/.test(word) || (/^[A-Za-z0-9+/]{40}$/.test(word) && isMixed(word))) return true;
  if (word.length < 16) return false;
  const parts = word.split(/[-_./:@,]/);
  return parts.some((part) => part.length >= 12 && /\d/.test(part) && /[A-Za-z]/.test(part));
}

/** Upper case, lower case and digits in one run: what a name, a version or a digest has not. */
export function looksGenerated(word: string): boolean {
  return looksRandom(word) && word.length >= 20 && isMixed(word);
}

/** Lower case, upper case and a digit: hexadecimal has but one case. */
export function isMixed(text: string): boolean {
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}

/** Both cases, and digits strewn among the letters: what a generator made and nobody named. */
export function isMinted(text: string): boolean {
  return isMixed(text) && (text.match(/\d[A-Za-z]|[A-Za-z]\d/g)?.length ?? 0) >= 4;
}

/** Whether the word is a long run of hexadecimal digits or base64. Beside a word such as `token` this is a secret, elsewhere a checksum. A UUID is neither. */
export function looksEncoded(word: string): boolean {
  if (/^(?:[0-9a-f]{32,}|[0-9A-F]{32,})$/.test(word)) return /[a-f]/i.test(word) && /\d/.test(word);
  return word.length >= 20 && /^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(word) && isMinted(word);
}

/** Words that say what is with a secret, or that stand for one that was left out. */
const STATUS =
  /^(?:incorrect|invalid|wrong|bad|expired|required|missing|not|is|are|was|were|has|have|had|must|should|shall|can|cannot|can't|could|couldn't|will|would|may|fail\w*|mismatch\w*|too|empty|unset|null|none|nil|<nil>|<none>|undefined|true|false|yes|no|on|off|ok|changed|reset|updat\w*|rotat\w*|renew\w*|error|unknown|denied|forbidden|unauthori[sz]ed|authenticat\w*|authori[sz]\w*|the|a|an|for|of|in|from|to|at|by|and|or|with|without|when|while|if|unable|accepted|rejected|valid|verif\w*|set|provided|disabled|enabled|using|used|illegal|permission|access|connection|user|users|please|enter|exit|status|code|http|https|string|str|int|bytes?|object|array|option\w*|load\w*|found|creat\w*|generat\w*|configured|default|plain|plaintext|md5|scram\S*|hash\w*|bcrypt|argon2\w*|encrypted|masked|hidden|redacted|\[redacted\S*|omitted|removed|stdin|prompt\w*|env|file|vault|mounted|secret|secrets|password|passwords|token|this|that|it|you|your|we|specif\w*|optional|auto\w*|read\w*|writ\w*|sent|received|ignored|skipped|deprecated|unsupported|supported|available|unavailable|\(.*)$/i;

/** Punctuation, masks, and references to what is kept elsewhere: `****`, `<password>`, `$(DB_PASSWORD)`, `{{ .Values.password }}`, `%s`. */
const PLACEHOLDER =
  /^(?:[*•xX.…_#-]+|[[\](){}<>|&]+|<[^<>]{0,64}>?|\$\([\w.-]{1,64}\)|\$\{[^{}]{1,128}\}|\$[A-Z_][A-Z0-9_]{0,63}|%[\w(.)]{1,16}|\{\{.{0,128}|\{[\w.]{0,64}\}|[[<({*]{1,4}[a-z _-]{1,32}[\])}>*]{0,4}|[\w.:]{1,64}\(\)|SecretStr\(.{0,4}\*.{0,64}|\?|\[?redacted.{0,64})$/i;

/** Whether the text in a secret's place is plainly no secret. */
export function isHarmless(value: string): boolean {
  if (value.length > LONGEST_WORD * 4) return false;
  const bare = withoutPunctuation(value);
  return bare === '' || PLACEHOLDER.test(bare) || STATUS.test(bare);
}

export function withoutPunctuation(word: string): string {
  let end = word.length;
  while (end > 0 && '.,;:!?'.includes(word[end - 1] ?? ' ')) end -= 1;
  return word.slice(0, end);
}
