import { finish } from '../../steps.ts';
import { isMinted, isMixed } from './looks-secret.ts';
import { type Detector, eachMatch } from './span.ts';

/**
 * Credentials that are known by their own shape wherever they stand, each by its prefix and the characters that follow. A shape begins a run
 * of its characters, so that a long run is read once. The prefixes are publicly known; not each was checked against its provider's documents. The patterns
 * of secret scanners such as gitleaks are not used: they search for one secret in a file and may be unbounded.
 */
const SHAPES: readonly RegExp[] = [
  /eyJ[A-Za-z0-9_-]{13,}(?:(?:\.|%2E)[A-Za-z0-9_-]{0,4096}){0,4}/,
  /gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|gl(?:pat|rt|dt|cbt|ptt|ft|soat|imt|agent|oas)-[\w.-]{16,}/,
  /xox[a-z](?:-|\.xox[bp]-)[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|sk-[\w-]{16,}|[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[\w+/=-]{16,}/,
  /AIza[\w-]{30,}|ya29\.[\w-]{16,}|GOCSPX-[\w-]{16,}|1\/\/0[\w-]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{16,}/,
  /npm_[A-Za-z0-9]{30,}|dckr_(?:pat|oat)_[\w-]{16,}|pypi-[\w-]{16,}|rubygems_[a-f0-9]{32,}|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}/,
  /SG\.[\w-]{16,64}\.[\w-]{16,}|hv[sbr]\.[\w-]{16,}|do[opr]_v1_[a-f0-9]{32,}|shp(?:at|ss|ca|pa)_[a-fA-F0-9]{16,}/,
  /gl(?:sa|c)_[\w=]{20,}|sntry[su]_[\w+/=.-]{20,}|dapi[a-f0-9]{32}|NRAK-[A-Z0-9]{20,}|nvapi-[\w-]{20,}|r8_[A-Za-z0-9]{30,}|figd_[\w-]{20,}/,
  /PMAK-[a-f0-9-]{32,}|AT(?:ATT|CTT)3[\w=-]{16,}|tskey-[\w-]{16,}|pscale_\w{2,8}_[\w-]{16,}|sbp_[a-f0-9]{32,}|lin_api_\w{20,}|pul-[a-f0-9]{32,}|sq0[a-z]{3}-[\w-]{16,}|key-[a-f0-9]{32}(?![a-f0-9])/,
  /sha256~[\w-]{32,}|SK[a-f0-9]{32}(?![a-f0-9])|[a-f0-9]{32}-us\d{1,2}(?![\w-])|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{20,}|ops_eyJ[\w-]{16,}|sb_secret_[\w-]{16,}/,
  /pnu_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,}|pat[A-Za-z0-9]{14}\.[a-f0-9]{32,}|bkua_[a-f0-9]{30,}|fm[12][ar]?_[\w+/=-]{30,}|dt0c\d\d\.[A-Z0-9]{20,30}\.[A-Z0-9]{40,}/,
  /CLOJARS_[a-f0-9]{40,}|AKCp[A-Za-z0-9]{50,}|cmVmdGtu[A-Za-z0-9]{40,}|sq[apu]_[a-f0-9]{40}|EAACEdEose0cBA[A-Za-z0-9]{16,}|EAAAE[\w-]{50,}|sl\.[\w-]{60,}|[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}/,
  /[\w.~-]{3}\dQ~[\w.~-]{31,34}|EAAA[A-Za-z][\w-]{50,}|ATBB[A-Za-z0-9]{24,}|lin_oauth_[a-f0-9]{32,}|EZ[AT]K[A-Za-z0-9]{40,}|rdme_[a-z0-9]{32,}|CCIPAT_[A-Za-z0-9]{16,32}_[a-f0-9]{40}|A3(?:-[A-Z0-9]{5,11}){5,6}|p8e-[a-z0-9]{32}|4b1d[A-Za-z0-9]{38}/,
  /[a-f0-9]{32}(?:FFFF|ffff)NRAL|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])|(?:sdk|mob)-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}|s\.[A-Za-z0-9]{24}(?![\w.-])/,
  // A bot of Discord: its number, a time and a code.
  /[MNO][A-Za-z\d]{22,27}\.[\w-]{6}\.[\w-]{27,}/,
  // The beginning of an armoured block in base64.
  /LS0tLS1CRUdJTi[A-Za-z0-9+/=]{16,}/,
  // Hashes of passwords, which can be guessed at leisure.
  /\$(?:2[abxy]?|apr1|[156y]|argon2\w{1,2}|pbkdf2\S{0,10})\$[\w./$+=,-]{20,}|SCRAM-SHA-\d{1,3}\$\d{1,7}:[\w+/=:$]{20,}/,
  // A bot token of Telegram: its number, a colon, 35 characters.
  /(?:bot)?\d{8,10}:AA[\w-]{33}(?![\w-])/,
];
// linear: an alternation of the shapes above, each of which ends with its only unbounded part
const ANY_SHAPE = new RegExp(`(?<![\\w-])(?:${SHAPES.map((shape) => shape.source).join('|')})`, 'g');

/**
 * Tokens of providers that no list knows yet: a short prefix, a separator, and a long run of both cases and digits. Names of classes have
 * that form as well, but few changes between letters and digits.
 */
const PREFIXED = /(?<![\w./+-])[A-Za-z][A-Za-z0-9]{1,9}[-_](?:[A-Za-z0-9]{1,8}[-_])?([A-Za-z0-9]{24,512})/g;
/** Prefixes of what identifies a request, a call or an object, and opens nothing. */
const IDENTIFIES =
  /^(?:req|request|msg|chatcmpl|resp|run|thread|file|asst|evt|event|trace|span|corr|txn|job|batch|toolu|call|upload|build|node|pod|task|arn|id)[-_]/i;

/** An account of Twilio and its token, or its key and that key's secret. */
const TWILIO_PAIR = /(?<![\w-])(?:AC|SK)[a-f0-9]{32}(?:["']?[,:/ ]{1,2}["']?)([A-Za-z0-9]{32})(?![\w-])/g;

/** The private members of a JSON Web Key (RFC 7517), near the member that makes it one. */
const KEY_TYPE = /\bkty\\{0,7}["']\s{0,4}:/g;
const PRIVATE_MEMBER = /\\{0,7}["'](?:d|p|q|dp|dq|qi|k)\\{0,7}["']\s{0,4}:\s{0,4}\\{0,7}["']([\w-]{16,2048})/g;
const KEY_DISTANCE = 4_096;

const ACCESS_KEY_ID = /(?<![A-Z0-9])(?:AKIA|ASIA|AGPA|AROA|ABIA)[0-9A-Z]{16}(?![A-Z0-9])/g;
const ACCESS_KEY = /(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
/** The secret half of a pair stands near its id. */
const PAIR_DISTANCE = 256;
const ACCESS_KEY_LENGTH = 40;

export const findTokenShapes: Detector = function* (text, report) {
  yield* eachMatch(ANY_SHAPE, text, (match) => {
    report(match.index, match.index + match[0].length);
    return undefined;
  });
  yield* eachMatch(PREFIXED, text, (match) => {
    if (isMinted(match[1] ?? '') && !IDENTIFIES.test(match[0])) report(match.index, match.index + match[0].length);
    return undefined;
  });
  yield* eachMatch(TWILIO_PAIR, text, (match) => reportGroup(match, 0, report));
  let keysRead = 0;
  yield* eachMatch(KEY_TYPE, text, (match) => {
    const from = Math.max(keysRead, match.index - KEY_DISTANCE);
    keysRead = match.index + KEY_DISTANCE;
    finish(eachMatch(PRIVATE_MEMBER, text.slice(from, keysRead), (member) => reportGroup(member, from, report)));
    return undefined;
  });
  let searched = 0;
  yield* eachMatch(ACCESS_KEY_ID, text, (match) => {
    const end = match.index + match[0].length;
    report(match.index, end);
    const from = Math.max(0, searched - ACCESS_KEY_LENGTH - 1, match.index - PAIR_DISTANCE);
    searched = end + PAIR_DISTANCE;
    finish(
      eachMatch(ACCESS_KEY, text.slice(from, end + PAIR_DISTANCE), (half) => {
        if (isMixed(half[0])) report(from + half.index, from + half.index + half[0].length);
        return undefined;
      }),
    );
    return end;
  });
};

function reportGroup(match: RegExpExecArray, offset: number, report: (from: number, to: number) => void): number {
  const end = match.index + match[0].length;
  report(offset + end - (match[1] ?? '').length, offset + end);
  return end;
}
