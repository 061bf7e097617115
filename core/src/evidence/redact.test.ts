import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRedactor, redactText } from './redact.ts';
import { storableText } from './utf8.ts';

const CANARY = 'zK9canaryQ7w2Lx8';

const SECRETS: Readonly<Record<string, string>> = {
  'an assignment': `DB_PASSWORD=${CANARY}`,
  'an assignment in quotes': `export API_TOKEN="${CANARY}"`,
  'a pair with a colon': `password: ${CANARY}`,
  'a JSON member': `{"clientSecret":"${CANARY}","user":"x"}`,
  'JSON within a string': `{\\"password\\":\\"${CANARY}\\"}`,
  'a header': `Authorization: Bearer ${CANARY}`,
  'basic authentication': `authorization=Basic ${CANARY}==`,
  'a bearer token without its header': `sent bearer ${CANARY}1234 to upstream`,
  'a URL with credentials': `postgres://app:${CANARY}@db:5432/shop`,
  'a URL with a token for user': `https://${CANARY}abcd@github.com/x/y`,
  'a connection string': `Server=db;User Id=app;Password=${CANARY};Pooling=true`,
  'an account key': `AccountName=x;AccountKey=${CANARY}==;EndpointSuffix=y`,
  'a cookie': `Cookie: session=${CANARY}; theme=dark`,
  'a flag': `--db-password ${CANARY} --verbose`,
  'a private key': `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}${CANARY}\n-----END RSA PRIVATE KEY-----`,
  'a private key that was cut': `-----BEGIN PRIVATE KEY-----\n${CANARY}${CANARY}\n${CANARY}`,
  'a JSON web token': `eyJhbGciOiJIUzI1NiJ9.${CANARY}.${CANARY}`,
  'a token of a code host': `ghp_${CANARY}${CANARY}`,
  'a cloud access key': 'AKIAZK9CANARYQ7W2LX8'.slice(0, 20),
  'a chat token': `xoxb-${CANARY}`,
  'a model key': `sk-${CANARY}${CANARY}`,
};

for (const [sentence, text] of Object.entries(SECRETS)) {
  test(`taken out: ${sentence}`, () => {
    const redacted = redactText(text);
    assert.doesNotMatch(redacted, /canary/i, redacted);
    assert.match(redacted, /\[redacted/);
    assert.equal(redactText(redacted), redacted, 'a second time changes nothing');
  });
}

const ORDINARY: readonly string[] = [
  "Error: couldn't find key signing-key in Secret shop/webhook-relay-keys",
  'secret "db-credentials" not found',
  'secret: db-credentials',
  'password: incorrect',
  'token: expired',
  'Basic authentication failed for user alice',
  'bearer authentication is required',
  'max_tokens=4096 token_count=17 tokens: 120',
  'secretName=db-credentials passwordFile=/run/secrets/db',
  'cannot parse "http://payments:8O80": invalid port after host',
  'the key is under the mat: look there',
  'primary key: violates constraint orders_pkey',
  'GET https://example.com/path?page=2 200',
  'tokenExpirationSeconds: 3607',
  'operator said: use workflow restart-all',
  'key=value pairs are fine',
];

for (const text of ORDINARY) {
  test(`left alone: ${text}`, () => {
    assert.equal(redactText(text), text);
  });
}

test('equal secrets get equal marks and different ones different marks, so that a change still shows', () => {
  const redactor = createRedactor();
  assert.equal(
    redactor.text('password=abc1 password=abc1 password=abc2'),
    'password=[redacted:1] password=[redacted:1] password=[redacted:2]',
  );
  assert.equal(redactor.found, 2);
});

test('a value under a sensitive name goes whole, wherever the name stands', () => {
  const at = new Date(0);
  assert.deepEqual(
    createRedactor().deep({
      env: [
        { name: 'DB_PASSWORD', value: 'plain' },
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'API_TOKEN', source: { kind: 'value', value: 'plain2' } },
        { name: 'API_KEY', source: { kind: 'secretKey', name: 'keys', key: 'api' } },
      ],
      annotations: { 'example.com/webhook-token': 'abc' },
      args: ['--api-token', 'word', '--level', 'info'],
      at,
    }),
    {
      env: [
        { name: 'DB_PASSWORD', value: '[redacted:1]' },
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'API_TOKEN', source: { kind: 'value', value: '[redacted:2]', name: undefined } },
        { name: 'API_KEY', source: { kind: 'secretKey', name: 'keys', key: 'api' } },
      ].map((item) => JSON.parse(JSON.stringify(item))),
      annotations: { 'example.com/webhook-token': '[redacted:3]' },
      args: ['--api-token', '[redacted:4]', '--level', 'info'],
      at,
    },
  );
});

test('any secret under any sensitive name is taken out of any text around it', () => {
  const words = fc.string({ unit: fc.constantFrom(...'abcdefghij klmnop,.;()'), maxLength: 40 });
  const secret = fc.stringMatching(/^[A-Za-z0-9]{6,20}7$/);
  const name = fc.constantFrom('PASSWORD', 'db_password', 'apiKey', 'client-secret', 'ACCESS_TOKEN', 'private_key');
  fc.assert(
    fc.property(words, name, secret, words, (before, key, value, after) => {
      fc.pre(!before.includes(value) && !after.includes(value));
      assert.ok(!redactText(`${before} ${key}=${value} ${after}`).includes(value));
    }),
  );
});

test('no NUL and no lone surrogate is stored', () => {
  assert.equal(storableText('a\0b\ud800c😀'), 'ab\ufffdc😀');
});
