import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ordinaryLines } from '../ordinary-lines.fixture.ts';
import { redactText } from '../redact.ts';
import { SECRET_CASES } from './secret-corpus.fixture.ts';

describe('secrets are taken out of text', () => {
  it('has at least 250 cases', () => {
    assert.ok(SECRET_CASES.length >= 250, `${SECRET_CASES.length} cases`);
  });

  for (const { name, text, secrets } of SECRET_CASES) {
    it(name, () => {
      const redacted = redactText(text);
      assert.notEqual(secrets.length, 0);
      for (const secret of secrets) {
        for (const part of secret.split(/[\s,;&"'(){}[\]]/).filter((each) => each.length >= 4))
          assert.ok(!redacted.includes(part), `\`${part}\` is left in ${redacted}`);
        assert.ok(!redacted.includes(secret), redacted);
      }
      assert.equal(redactText(redacted), redacted, 'a second time changes nothing');
    });
  }
});

describe('ordinary text is left alone', () => {
  const ORDINARY = [
    'nginx: [emerg] cannot load certificate key "/etc/nginx/tls.key": PEM_read_bio_PrivateKey() failed',
    'curl -u $USER:$PASS https://x',
    'passport=required bypass=true compass=north rootpath=/srv',
    'client-certificate-data present, client-key-data present',
    'recovery: checkpoint complete',
    'pulling image sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'total $5$ of $6$, sl.example.com resolved, pattern pat1 matched',
  ];
  for (const line of ORDINARY) it(line, () => assert.equal(redactText(line), line));

  it('leaves ten thousand ordinary lines as they are', () => {
    const changed = ordinaryLines(10_000).filter((line) => redactText(line) !== line);
    assert.deepEqual(changed.slice(0, 5).map(redactText), []);
    assert.equal(changed.length, 0);
  });

  it('leaves them alone as one text, where one line could speak for the next', () => {
    const text = ordinaryLines(10_000).join('\n');
    const redacted = redactText(text).split('\n');
    assert.deepEqual(
      text
        .split('\n')
        .filter((line, index) => redacted[index] !== line)
        .slice(0, 5),
      [],
    );
  });
});
