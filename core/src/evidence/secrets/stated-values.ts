import { isHarmless, looksEncoded, looksGenerated, looksSecret } from './looks-secret.ts';
import { readValue } from './read-value.ts';
import { type Detector, eachMatch, isMark, lineEnd, lineStart, matchAt } from './span.ts';

const PASSWORD = /(?<![\w.-])(?:passwords?|passwort|passphrase|passcode|passwd|pwd)(?![\w-])/gi;
const OTHER = /(?<![\w.-])(?:(?:\w{1,32}_)?tokens?|(?:\w{1,32}_)?secret|credentials?|(?:\w{1,32}_)?key)(?![\w-])/gi;
/** `is x`, `was changed to "x"`. */
const STATED = /[ \t]{1,4}(?:(?:is|was|has been|now|set|changed|reset|updated) ){0,3}(?:is|was|to)[:=]?[ \t]{1,4}/iy;
/** `for bob: x`, `of user "bob" = x`. */
const OF_SOMEBODY = /[ \t](?:for|of) (?:(?:user|account|role|login) )?["'`]?[^\s'"`:=]{1,128}["'`]?[ \t]?[:=][ \t]?/iy;
/** A few words and a colon: `is generated for root@localhost: x`, also with the value alone on a line below. */
const TOLD = /(?:[ \t]{1,2}[\w@.'"-]{1,32}){1,8}[ \t]?[:=](?:[ \t]{1,4}|\s{2,6})(?=\S)/y;
const LONGEST_TOLD = 128;
const LONGEST_VALUE = 512;
const NEXT_WORD = /[ \t]{1,8}\(?/y;
const OTP =
  /(?<![\w-])(?:otp|totp|one-time (?:code|password)|mfa code)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(\d{4,10})(?!\w)/gi;

/** A sentence that reports a failure ends with its reason, not with a password. */
const COMPLAINT =
  /\b(?:err\w*|fail\w*|unable|cannot|can't|could ?n[o']t|invalid|denied|refused|warn\w*|timeout|unexpected)\b/i;
/** Words that describe a password. */
const DESCRIBES =
  /^(?:weak|short|long|strong|same|similar|common|blank|identical|stale|old|new|fine|good|correct|safe|now|already|still|kept|known|here|there|hex|base64|\w{2,32}(?:ed|ing|able|ive|ous|al|ary|ly|less))$/i;
/** What makes a checksum or a name of an encoded word. */
const NAMES_OTHER =
  /\b(?:hash|checksum|digest|fingerprint|sha\d{0,3}|id|uid|version|revision|image|commit|etag|name|request|trace|cache|object|partition|primary|foreign|public|host|routing|lock|shard|index|sort|map|redis|lookup|storage|s3|row|node|registry|consumer|message|record|block)\b/i;

/** Secrets that a sentence or a prompt gives away, without an operator between name and value. */
export const findStatedSecrets: Detector = function* (text, report) {
  const take = (
    at: number,
    isTaken: (word: string, quoted: boolean, isLast: boolean) => boolean,
  ): number | undefined => {
    const { from, to, quoted } = readValue(text, at, { limit: Math.min(text.length, at + LONGEST_VALUE) });
    const word = text.slice(from, to).replace(/[.,;:!?]$/, '');
    if (word.length < 4 || isMark(word) || isHarmless(word)) return undefined;
    const rest = text.slice(to, lineEnd(text, to, to + 64));
    if (!isTaken(word, quoted, !/\w/.test(rest))) return undefined;
    report(from, from + word.length);
    return from + word.length;
  };
  yield* eachMatch(PASSWORD, text, (match) => {
    const end = match.index + match[0].length;
    const stated = matchAt(STATED, text, end);
    if (stated !== null) {
      const found = take(end + stated[0].length, (word, quoted, isLast) =>
        quoted ? !/\s\S{1,64}\s/.test(word) : looksTyped(word) || (isLast && word.length >= 6 && !DESCRIBES.test(word)),
      );
      if (found !== undefined) return found;
    }
    const somebody = matchAt(OF_SOMEBODY, text, end);
    if (somebody !== null)
      return take(end + somebody[0].length, (word, _quoted, isLast) => {
        return looksTyped(word) || (isLast && !DESCRIBES.test(word) && !isComplaint(text, match.index));
      });
    const told = toldBy(text, end);
    if (told !== null) {
      const isLong = told[0].includes('\n');
      return take(end + told[0].length, (word) => looksEncoded(word) || (!isLong && looksTyped(word)));
    }
    return text.startsWith(' (', end) ? take(end + 2, looksTyped) : undefined;
  });
  yield* eachMatch(OTHER, text, (match) => {
    const end = match.index + match[0].length;
    const before = text.slice(lineStart(text, match.index, 24), match.index);
    const next = matchAt(NEXT_WORD, text, end);
    if (next === null || NAMES_OTHER.test(before)) return undefined;
    const at = end + next[0].length;
    if (/^credential/i.test(match[0])) {
      const pair = /^(?!system:)([\w.@-]{1,64}):(?=[^\s:/]{6,})/.exec(text.slice(at, at + 80));
      if (pair !== null && /\bwith $/.test(before) && !isHarmless(pair[1] ?? ''))
        return take(at + pair[0].length, () => true);
    }
    const isApiKey = /(?:api|access|secret) $/i.test(before);
    const looks = (word: string): boolean => looksEncoded(word) || looksGenerated(word) || (isApiKey && isUuid(word));
    const found = take(at, looks);
    if (found !== undefined) return found;
    const told = toldBy(text, end);
    if (told === null || told[0].includes('\n') || NAMES_OTHER.test(told[0])) return undefined;
    return take(end + told[0].length, looks);
  });
  yield* eachMatch(OTP, text, (match) => {
    const end = match.index + match[0].length;
    report(end - (match[1] ?? '').length, end);
    return end;
  });
};

function toldBy(text: string, at: number): RegExpExecArray | null {
  const colon = text.slice(at, at + LONGEST_TOLD).search(/[:=\n]/);
  return colon < 0 ? null : matchAt(TOLD, text, at);
}

function isComplaint(text: string, at: number): boolean {
  return COMPLAINT.test(text.slice(lineStart(text, at, 128), at));
}

/** Letters and digits in one word, and no path, version, digest or duration. */
function looksTyped(word: string): boolean {
  return (
    looksSecret(word) &&
    /^[^\s./:]{6,}$/.test(word) &&
    /\d/.test(word) &&
    /[g-zà-ö]/i.test(word) &&
    !/^\d+[a-z]+$/.test(word)
  );
}

function isUuid(word: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(word);
}
