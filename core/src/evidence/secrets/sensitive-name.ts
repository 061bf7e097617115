/**
 * How much a name says of its value. `password`: any value is one. `secret`: a value that could be a word of a sentence may be one.
 * `possible`: only a value that looks random is a secret, since ordinary things have such names as well.
 */
export type Sensitivity = 'password' | 'secret' | 'possible';

/** Passwords in the languages whose speakers write logs in them. */
const PASSWORD =
  /pass(?:word|wort|wd|phrase|code)|pwd$|(?:db|pg|sql|store|key|user|root|admin|smtp|redis|mail|http|proxy|ftp|ldap|trust|cert)pass$|(?:root|db|user|admin)pw$|password[sS]?_?\d{1,3}$|(?:^|[^a-z])(?:pass|pwd|pw|psw)(?:$|[^a-z])|requirepass|masterauth|kennwort|contrase[nñ]a|(?:^|_)(?:senha|clave|parola|salasana)$|mot_?de_?passe|passe$|passord|heslo|geslo|jelsz[oó]|adgangskode|lozinka|(?:^|_)(?:kata_?)?sandi$|パスワード|كلمة_?المرور|पासवर्ड|κωδικ[οό]ς|รหัสผ่าน|סיסמה|khẩu$|ordine$|парол|密码|密碼|パスワード|비밀번호|has[lł]o$|wachtwoord|l[oö]senord|[sş]ifre/i;

const SECRET =
  /secret|token|credential|creds?$|(?:^|_)(?:jwt|bearer|sas|psk|cvv|cvc|basic_auth|recovery_codes?|hmac|pat)$|honeycomb-team$|key[-_]data$|sessid$|(?:api|app|access|account|private|signing|encryption|decrypt|crypto?|cipher|auth|shared|master|root|license|storage|webhook|session|aes|des|fernet|hmac|rsa|ecdsa|ed25519|ssh|ssl|tls|jwt|gpg|pgp|age|kms|sas|vault|deploy|client|service|server|admin|integration|ingest|routing|write|push|stripe|aws|gcp|azure|django|flask|rails|nextauth|laravel|subscription|functions?|instrumentation|unseal|recovery|otp|totp)[-_. ]?key$|(?:api|access|account|private|signing|encryption|auth|shared|master|license|storage|webhook|session)[-_. ]?key/i;

const POSSIBLE = /(?:^|[-_. ])(?:auth|sig|signature|key|keys|session|salt|otp|dsn|hash|nonce)$/i;
const SESSION = /(?:^|[-_. ])(?:session_id|sid)$/i;

/** Names of what is part of a secret although they end as the name of something about one does. */
const DESPITE_ABOUT =
  /^(?:.{0,64}[-_.])?(?:secret_?id|j?sessionid|phpsessid|connect\.sid|asp\.net_sessionid|aspsessionid\w{0,16})$/i;

/** The name of where a secret is, or of something about it, is none. */
const ABOUT =
  /(?:name|names|ref|refs|reference|path|paths|file|files|dir|url|uri|endpoint|issuer|expiry|expires?(?:_?in|_?at)?|seconds|minutes|ttl|count|length|size|type|types|kind|version|policy|provider|source|store|stdin|enabled|required|optional|limit|limits|bucket|usage|used|hash_?alg\w{0,16}|algorithm|alg|mount|volume|class|tokens|status|state|error|errors|id|ids|mode|age|rotation|rotated|expired|field|column|label|hint|prompt|manager|controller|operator|review|request|requests|requested|reset|changed|attempts|retries|failures|secrets|\.(?:m?[jt]sx?|go|py|java|rb|rs|php|cs|cpp|kt|scala|html|ya?ml|json|conf|ini|txt|md))$/i;

/** Whether, and how much, a value of this name is to be kept from everybody: `DB_PASSWORD`, `apiKey`, `client-secret`; not `secretName`. */
export function sensitivityOf(original: string): Sensitivity | undefined {
  const name = splitCamel(original);
  if (DESPITE_ABOUT.test(original)) return 'secret';
  if (SESSION.test(name)) return 'possible';
  if (ABOUT.test(name)) return undefined;
  if (PASSWORD.test(name)) return 'password';
  if (SECRET.test(name)) return 'secret';
  return POSSIBLE.test(name) ? 'possible' : undefined;
}

export function isSensitiveName(name: string): boolean {
  const sensitivity = sensitivityOf(name.length > 256 ? name.slice(-256) : name);
  return sensitivity === 'password' || sensitivity === 'secret';
}

function splitCamel(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
}
