/**
 * Texts with secrets in them. What stands between `⟦` and `⟧` must not survive; the brackets are taken out before the text is redacted. Values
 * are made up, and put together from parts so that no scanner of repositories takes them for real ones.
 */
export interface SecretCase {
  readonly name: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

function secretCase(name: string, marked: string): SecretCase {
  const secrets = [...marked.matchAll(/⟦([^⟧]{1,4000})⟧/g)].map((match) => match[1] ?? '');
  return { name, text: marked.replaceAll(/[⟦⟧]/g, ''), secrets };
}

const RANDOM = 'zK9canaryQ7w2Lx8';
const LONG = `${RANDOM}Vb3nM5tY${RANDOM}`;
const HEX = '9f86d081884c7d659a2feaa0c55ad015';
const BASE64_LINE = 'MIIEowIBAAKCAQEAz9k3Lx8Qw7Vb3nM5tYcanaryA1b2C3d4E5f6G7h8I9j0K1l2';

/** Values with what usually ends a value. */
const AWKWARD: Readonly<Record<string, string>> = {
  comma: 'pw,cAnary7',
  ampersand: 'pw&cAnary7',
  semicolon: 'pw;cAnary7',
  'double quote': 'pw"cAnary7',
  'single quote': "pw'cAnary7",
  parenthesis: 'pw(cAnary7',
  brace: 'pw{cAnary7',
  'all of them': 'p,w&x;c"a\'n(a{ry7',
  'closing brackets': 'pw)]}cAnary7',
  'an equals sign': 'pw=cAnary7==',
  'a hash and an at': 'pw#c@nAry7',
};

const awkward: readonly SecretCase[] = Object.entries(AWKWARD).flatMap(([what, value]) => [
  secretCase(`assignment of a value with ${what}`, `started with DB_PASSWORD=⟦${value}⟧ and went on`),
  secretCase(
    `JSON member with ${what}`,
    `{"level":"info","password":"⟦${JSON.stringify(value).slice(1, -1)}⟧","port":5432}`,
  ),
  secretCase(`colon and a value with ${what}`, `  password: ⟦${value}⟧`),
  secretCase(`flag with ${what}`, `exec app --db-password ⟦${value}⟧ --verbose`),
]);

const NAMES = [
  'PASSWORD',
  'db_password',
  'DB_PW',
  'dbPwd',
  'PGPASSWORD',
  'MYSQL_PWD',
  'passphrase',
  'passcode',
  'user.pass',
  'Passwort',
  'DB_PASSWORT',
  'Kennwort',
  'contraseña',
  'contrasena',
  'senha',
  'пароль',
  'пароля',
  'mot_de_passe',
  'hasło',
  'wachtwoord',
  'lösenord',
  'şifre',
  '密码',
  'パスワード',
  'secret',
  'secret_id',
  'client_secret',
  'clientSecret',
  'app-secret',
  'SECRET_KEY',
  'DJANGO_SECRET_KEY',
  'AES_KEY',
  'FERNET_KEY',
  'HMAC_KEY',
  'JWT_KEY',
  'apiKey',
  'X-Api-Key',
  'api.key',
  'ACCESS_KEY',
  'private_key',
  'ENCRYPTION_KEY',
  'SIGNING_KEY',
  'AccountKey',
  'SharedAccessKey',
  'master-key',
  'routing_key',
  'integrationKey',
  'access_token',
  'refreshToken',
  'id_token',
  'csrf-token',
  'X-Auth-Token',
  'AWS_SESSION_TOKEN',
  'aws_secret_access_key',
  'credential',
  'credentials',
  'JSESSIONID',
  'PHPSESSID',
  'connect.sid',
  'ASP.NET_SessionId',
  'sessionid',
  'NPM_AUTH_TOKEN',
  'VAULT_UNSEAL_KEY',
  'STRIPE_KEY',
];

const named: readonly SecretCase[] = NAMES.flatMap((name) => [
  secretCase(`assignment to ${name}`, `env ${name}=⟦${RANDOM}⟧ set`),
  secretCase(`JSON member ${name}`, `{"${name}": "⟦${RANDOM}⟧"}`),
]);

const SHAPES: Readonly<Record<string, string>> = {
  'GitHub token': `ghp_${LONG}`,
  'GitHub fine-grained token': `github_pat_${LONG}`,
  'GitLab personal token': `glpat-${LONG}`,
  'GitLab runner token': `glrt-${LONG}`,
  'GitLab deploy token': `gldt-${LONG}`,
  'Slack bot token': `xoxb-${LONG}`,
  'Slack app token': `xapp-1-${LONG}`,
  'Stripe live key': `sk_live_${LONG}`,
  'Stripe webhook secret': `whsec_${LONG}`,
  'OpenAI key': `sk-proj-${LONG}`,
  'Anthropic key': `sk-ant-api03-${LONG}`,
  'Google API key': `AIza${LONG}`,
  'Google OAuth secret': `GOCSPX-${LONG}`,
  'Google access token': `ya29.${LONG}`,
  'age identity': `AGE-SECRET-KEY-1${LONG.toUpperCase()}`,
  'Telegram bot token': `5123456789:AA${LONG.slice(0, 33)}`,
  'npm token': `npm_${LONG}`,
  'Docker Hub token': `dckr_pat_${LONG}`,
  'PyPI token': `pypi-${LONG}`,
  'Hugging Face token': `hf_${LONG}`,
  'SendGrid key': `SG.${LONG}.${LONG}`,
  'Vault service token': `hvs.${LONG}`,
  'DigitalOcean token': `dop_v1_${HEX}${HEX}`,
  'Shopify token': `shpat_${HEX}`,
  'Grafana service account token': `glsa_${LONG}`,
  'Databricks token': `dapi${HEX}`,
  'Tailscale key': `tskey-auth-${LONG}`,
  'Mailgun key': `key-${HEX}`,
  'AWS access key id': `AKIA${'ZK9CANARYQ7W2LX8'}`,
  'JSON web token': `eyJhbGciOiJIUzI1NiJ9.eyJ${RANDOM}.${RANDOM}`,
  'JSON web token without signature': `eyJhbGciOiJIUzI1NiJ9.eyJ${RANDOM}.`,
  'JSON web token cut in its first part': `eyJhbGciOi${RANDOM}`,
  'JSON web token cut in its second part': `eyJhbGciOiJIUzI1NiJ9.eyJ`,
};

const shaped: readonly SecretCase[] = Object.entries(SHAPES).flatMap(([name, value]) => [
  secretCase(`${name} in a sentence`, `request failed for ⟦${value}⟧, retrying`),
  secretCase(`${name} in JSON`, `{"msg":"using ⟦${value}⟧"}`),
]);

const KEY_LINES = [BASE64_LINE, BASE64_LINE.split('').reverse().join(''), `${BASE64_LINE.slice(8)}AbCd12/+`];
const STAMP = '2026-01-01T00:00:00.123456789Z ';
const lines = (before: string) => KEY_LINES.map((line) => `${before}⟦${line}⟧`).join('\n');

const privateKeys: readonly SecretCase[] = [
  secretCase('private key', `-----BEGIN RSA PRIVATE KEY-----\n${lines('')}\n-----END RSA PRIVATE KEY-----`),
  secretCase('private key without its end', `-----BEGIN PRIVATE KEY-----\n${lines('')}`),
  secretCase('private key without its begin', `${lines('')}\n-----END PRIVATE KEY-----\nready`),
  secretCase('page of a private key without begin and end', lines('')),
  secretCase(
    'private key with times',
    `${STAMP}-----BEGIN EC PRIVATE KEY-----\n${lines(STAMP)}\n${STAMP}-----END EC PRIVATE KEY-----`,
  ),
  secretCase(
    'private key with times, without its end',
    `${STAMP}-----BEGIN EC PRIVATE KEY-----\n${lines(STAMP)}\n${STAMP}ready`,
  ),
  secretCase('private key with times, without its begin', `${lines(STAMP)}\n${STAMP}-----END EC PRIVATE KEY-----`),
  secretCase('private key behind a logger name', `app | -----BEGIN PRIVATE KEY-----\n${lines('app | ')}\napp | ready`),
  secretCase(
    'encrypted private key',
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,⟦${HEX}⟧\n\n${lines('')}`,
  ),
  secretCase('OpenSSH key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines('')}\n-----END OPENSSH PRIVATE KEY-----`),
  secretCase(
    'PGP key',
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${lines('')}\n-----END PGP PRIVATE KEY BLOCK-----`,
  ),
  secretCase(
    'private key on one line',
    `TLS={"key":"-----BEGIN PRIVATE KEY-----\\n⟦${KEY_LINES[0]}⟧\\n⟦${KEY_LINES[1]}⟧\\n-----END PRIVATE KEY-----\\n"}`,
  ),
  secretCase(
    'private key on one line, cut',
    `loaded -----BEGIN PRIVATE KEY-----\\n⟦${KEY_LINES[0]}⟧\\n⟦${KEY_LINES[1]}⟧`,
  ),
];

const addresses: readonly SecretCase[] = [
  secretCase('URL with a password', `dial postgres://app:⟦${RANDOM}⟧@db:5432/shop`),
  secretCase('URL whose password has a slash', `dial postgres://app:⟦ca/n4ry⟧@db:5432/shop`),
  secretCase('URL whose password has an at', `dial amqp://app:⟦c@n4ry⟧@mq:5672/`),
  secretCase('URL whose password has a question mark', `dial redis://:⟦c?n4ry⟧@cache:6379/0`),
  secretCase('URL with a token for its user', `clone https://⟦${RANDOM}abcd⟧@github.com/x/y`),
  secretCase('URL with an encoded password', `dial mongodb+srv://u:⟦c%40n4ry%2F7⟧@m.example/x`),
  secretCase('URL that is encoded', `next=amqp%3A%2F%2Fu%3A⟦${RANDOM}⟧%40mq%2F`),
  secretCase('data source name of MySQL', `sql.Open: app:⟦${RANDOM}⟧@tcp(db:3306)/shop?parseTime=true`),
  secretCase('data source name over a socket', `dsn=app:⟦${RANDOM}⟧@unix(/tmp/my.sock)/shop`),
  secretCase('data source name of Oracle', `connect scott/⟦${RANDOM}⟧@//ora:1521/orcl`),
  secretCase('ADO connection string', `Server=db;User Id=app;Password=⟦${RANDOM}⟧;Pooling=true`),
  secretCase('ODBC connection string', `Driver={x};UID=app;PWD=⟦{c;n4ry}⟧;Port=1`),
  secretCase('libpq connection string', `host=db user=app password='⟦c n4ry⟧' dbname=shop`),
  secretCase('JDBC parameters', `jdbc:mysql://db/shop?user=app&password=⟦${RANDOM}⟧&useSSL=true`),
  secretCase('Azure account', `AccountName=x;AccountKey=⟦${LONG}==⟧;EndpointSuffix=y`),
  secretCase('Azure signed URL', `GET https://x.blob.core.windows.net/c?sv=2022&sig=⟦${LONG}%3D⟧&se=2026`),
  secretCase('AWS signed URL', `GET https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=⟦${HEX}${HEX}⟧`),
  secretCase('AWS signed URL with a session', `GET https://b.s3.amazonaws.com/k?X-Amz-Security-Token=⟦${LONG}⟧&x=1`),
  secretCase('Google signed URL', `GET https://storage.googleapis.com/b/o?X-Goog-Signature=⟦${HEX}${HEX}⟧`),
  secretCase('CloudFront signed URL', `GET https://d.cloudfront.net/x?Expires=1&Signature=⟦${LONG}⟧&Key-Pair-Id=K1`),
  secretCase('Slack webhook', `POST https://hooks.slack.com/services/⟦T0CANARY/B0CANARY/${RANDOM}⟧ 404`),
  secretCase('Discord webhook', `POST https://discord.com/api/webhooks/123456789/⟦${LONG}⟧ 404`),
  secretCase('Discord webhook of the old host', `POST https://discordapp.com/api/webhooks/123456789/⟦${LONG}⟧`),
  secretCase('Teams webhook', `POST https://acme.webhook.office.com/webhookb2/⟦${HEX}@${HEX}/IncomingWebhook/${HEX}⟧`),
  secretCase(
    'Teams workflow',
    `POST https://prod-1.westus.logic.azure.com/workflows/x/triggers/manual/paths/invoke?sp=1&sig=⟦${LONG}⟧`,
  ),
  secretCase('Telegram API', `POST https://api.telegram.org/bot⟦5123456789:AA${LONG.slice(0, 33)}⟧/sendMessage`),
  secretCase('query with a token', `GET /v1/items?token=⟦${RANDOM}⟧&page=2`),
  secretCase('query with an encoded name', `GET /login?next=%2Fa%3Fpassword%3D⟦${RANDOM}⟧%26x%3D1`),
  secretCase('query encoded twice', `GET /login?next=password%253D⟦${RANDOM}⟧%2526x`),
  secretCase('JSON that is encoded', `body=%7B%22password%22%3A%22⟦${RANDOM}⟧%22%7D`),
];

const headers: readonly SecretCase[] = [
  secretCase('bearer token', `Authorization: Bearer ⟦${RANDOM}⟧`),
  secretCase('basic authentication', `authorization=Basic ⟦${RANDOM}==⟧`),
  secretCase('authorization without a scheme', `"Authorization":"⟦${RANDOM}⟧"`),
  secretCase('authorization in a map of Go', `map[Authorization:[Bearer ⟦${RANDOM}⟧] Accept:[*/*]]`),
  secretCase('authorization in JSON with a list', `{"authorization":["Bearer ⟦${RANDOM}⟧"]}`),
  secretCase('proxy authorization', `Proxy-Authorization: Basic ⟦${RANDOM}==⟧`),
  secretCase(
    'digest of AWS',
    `Authorization: AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host, Signature=⟦${HEX}${HEX}⟧`,
  ),
  secretCase('bearer token without its header', `sent bearer ⟦${RANDOM}1234⟧ upstream`),
  secretCase('cookie', `Cookie: ⟦session=${RANDOM}; theme=dark⟧`),
  secretCase('set cookie', `Set-Cookie: ⟦sid=${RANDOM}⟧; Path=/; HttpOnly`),
  secretCase('cookie in JSON', `{"cookie":"⟦sid=${RANDOM}⟧"}`),
  secretCase('API key header', `x-api-key: ⟦${RANDOM}⟧`),
  secretCase('SMTP login', `>> AUTH PLAIN ⟦AGFwcABjYW5hcnk3⟧`),
  secretCase('session of a cookie line', `session=⟦${RANDOM}⟧`),
  secretCase('session id of Java', `;jsessionid=⟦${HEX}⟧?x=1`),
];

const others: readonly SecretCase[] = [
  secretCase('plain words', 'password: ⟦correct horse battery staple⟧'),
  secretCase('one plain word', 'password: ⟦hunter⟧'),
  secretCase('plain words after an equals sign', 'password = ⟦swordfish⟧'),
  secretCase('plain words in quotes', 'password: "⟦correct horse⟧"'),
  secretCase('stated password', `the password is ⟦${RANDOM}⟧`),
  secretCase('netrc', `machine h.example login bob password ⟦swordfish⟧`),
  secretCase('curl user', `curl -u bob:⟦swordfish⟧ https://h.example`),
  secretCase('curl user, long option', `curl --user bob:⟦swordfish⟧ https://h.example`),
  secretCase('curl user in quotes', `curl -u 'bob:⟦sword fish⟧' https://h.example`),
  secretCase('curl user in a list', `["curl","-u","bob:⟦swordfish⟧","https://h.example"]`),
  secretCase('MySQL option', `mysql -h db -u root -p⟦swordfish⟧ shop`),
  secretCase('MySQL option in a list', `["mysqldump","-p⟦swordfish⟧","shop"]`),
  secretCase('sshpass', `sshpass -p ⟦swordfish⟧ ssh h.example`),
  secretCase('Redis client', `redis-cli -h cache -a ⟦swordfish⟧ ping`),
  secretCase('Docker login', `docker login -u bob -p ⟦swordfish⟧ r.example`),
  secretCase('LDAP bind', `ldapsearch -D cn=x -w ⟦swordfish⟧ -b dc=y`),
  secretCase('flag', `--api-token ⟦swordfish⟧`),
  secretCase('flag with equals', `--client-secret=⟦swordfish⟧`),
  secretCase('flag in a list', `["--password", "⟦swordfish⟧"]`),
  secretCase('single dash', `java -password ⟦swordfish⟧`),
  secretCase('SQL', `ALTER USER app IDENTIFIED BY '⟦swordfish⟧'`),
  secretCase('SQL of PostgreSQL', `CREATE ROLE app LOGIN PASSWORD '⟦swordfish⟧'`),
  secretCase('Redis configuration', `requirepass ⟦swordfish⟧`),
  secretCase('XML element', `<password>⟦swordfish⟧</password>`),
  secretCase('XML element with a prefix', `<wsse:Password Type="x">⟦swordfish⟧</wsse:Password>`),
  secretCase('XML attribute', `<user password="⟦swordfish⟧"/>`),
  secretCase('XML setting', `<add key="DbPassword" value="⟦swordfish⟧"/>`),
  secretCase('property list', `<key>password</key>\n<string>⟦swordfish⟧</string>`),
  secretCase('Ruby hash', `{:password=>"⟦swordfish⟧", "a"=>1}`),
  secretCase('Ruby hash with spaces', `"password" => "⟦swordfish⟧"`),
  secretCase('Go assignment', `password := "⟦swordfish⟧"`),
  secretCase('Python dictionary', `{'password': '⟦swordfish⟧'}`),
  secretCase('Java object', `Config{user=app, password=⟦swordfish⟧, port=1}`),
  secretCase('next line', `password:\n  ⟦swordfish⟧\nport: 1`),
  secretCase('next line as a block', `password: |\n  ⟦swordfish⟧\nport: 1`),
  secretCase('next line with a time', `${STAMP}token:\n${STAMP}⟦${RANDOM}⟧`),
  secretCase('named value in YAML', `- name: DB_PASSWORD\n  value: ⟦swordfish⟧`),
  secretCase('named value in YAML, quoted', `- name: "API_TOKEN"\n  value: "⟦swordfish⟧"`),
  secretCase('named value in JSON', `{"name":"DB_PASSWORD","value":"⟦swordfish⟧"}`),
  secretCase('named value in escaped JSON', `{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"⟦swordfish⟧\\"}`),
  secretCase('escaped JSON', `{\\"password\\":\\"⟦swordfish⟧\\"}`),
  secretCase('JSON escaped twice', `{\\\\\\"password\\\\\\":\\\\\\"⟦swordfish⟧\\\\\\"}`),
  secretCase('HTML entities', `&quot;password&quot;:&quot;⟦swordfish⟧&quot;`),
  secretCase('unicode escapes', `\\u0022password\\u0022:\\u0022⟦swordfish⟧\\u0022`),
  secretCase('list of secrets', `tokens=1 passwords: ["⟦swordfish⟧", "⟦catfish77⟧"]`),
  secretCase('colours around the name', `\u001b[36mtoken\u001b[0m=⟦${RANDOM}⟧`),
  secretCase('pair as a list', `[["api_key","⟦${RANDOM}⟧"],["level","info"]]`),
  secretCase('Docker configuration', `{"auths":{"r.example":{"auth":"⟦Ym9iOnN3b3JkZmlzaDc=⟧"}}}`),
  secretCase('npm configuration', `//r.example/:_authToken=⟦${RANDOM}⟧`),
  secretCase('AWS pair', `keys AKIAZK9CANARYQ7W2LX8 ⟦wJalrXUtnFEMIK7MDENGbPxRfiCYcanaryKEY123⟧`),
  secretCase('AWS pair in a file', `AKIAZK9CANARYQ7W2LX8\n⟦wJalrXUtnFEMI/K7MDENG+bPxRfiCYcanaryKEY1⟧`),
  secretCase('quote that is not closed', `password="⟦swordfish and the rest⟧`),
  secretCase('200 KB of a value', `TOKEN=⟦${'aB3'.repeat(1_300)}⟧`),
];

export const SECRET_CASES: readonly SecretCase[] = [
  ...awkward,
  ...named,
  ...shaped,
  ...privateKeys,
  ...addresses,
  ...headers,
  ...others,
];
