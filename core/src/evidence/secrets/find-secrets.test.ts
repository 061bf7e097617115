import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ordinaryLines } from '../ordinary-lines.fixture.ts';
import { redactText } from '../redact.ts';
import { SECRET_CASES } from './secret-corpus.fixture.ts';

describe('secrets are taken out of text', () => {
  it('has at least 750 cases', () => {
    assert.ok(SECRET_CASES.length >= 750, `${SECRET_CASES.length} cases`);
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
    'Successfully pulled image "registry.example/shop/checkout@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" in 2.1s',
    'commit 3f1c9a7e5b2d48806a4e1f0b9c7d25e800112233 merged by token-bot',
    'uid: 4b7d0c1e-93f2-4a58-8e6b-c0ffee12ab90 resourceVersion: "184467440"',
    'pod-template-hash: 6f7c9d8b5f',
    'checkout-6f7c9d8b5f-x2k9q is ready',
    'md5 3f1c9a7e5b2d48806a4e1f0b9c7d25e8  backup.tar.gz',
    'etag: W/"3f1c9a7e5b2d48806a4e1f0b9c7d25e8"',
    'checksum/config: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'secret checksum 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'cache key 3f1c9a7e5b2d48806a4e1f0b9c7d25e8 evicted',
    'token id 4b7d0c1e-93f2-4a58-8e6b-c0ffee12ab90 expired',
    'binaryData: logo.png: iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
    'data: c2VydmVyIHsgbGlzdGVuIDgwODA7IH0KbG9jYXRpb24gLyB7IHJldHVybiAyMDA7IH0K',
    'config: YXBwOgogIG5hbWU6IHNob3AKICBwb3J0OiA4MDgwCiAgbG9nOiBpbmZvCg==',
    'password authentication failed for user "app"',
    'FATAL:  password authentication failed for user "app"',
    'failed to reset password for bob: timeout',
    'unable to get password for app: EOF',
    'password for user bob: expired',
    'password for app: not set',
    'password for app is missing',
    'the password is incorrect',
    'password is required',
    'your password is too weak',
    'password was rejected',
    "Access denied for user 'app'@'10.0.0.1' (using password: YES)",
    'password is stale',
    'password has been changed',
    'vulnerability identified by trivy in image',
    'pods are identified by label app=checkout',
    '250-AUTH LOGIN PLAIN CRAM-MD5',
    'AUTH failed for client 10.0.0.1',
    'NOAUTH Authentication required.',
    'main.py:1042:module:handler:done',
    '2026-12-01T00:00:00Z 10.0.0.1:5432:accept',
    'level=info ts=12:30:45 caller=main.go:123 msg="started"',
    'File "/app/main.py", line 42, in run',
    'at com.shop.orders.OrderServiceImpl_V2.process(OrderServiceImpl.java:123)',
    'Test_OrderServiceImplV2IntegrationTest passed',
    'GET /api/v1/verify/4b7d0c1e-93f2-4a58-8e6b-c0ffee12ab90 200',
    'GET /errors?code=ERR_CONNECTION_REFUSED 200',
    'GET /cb?code=404&x=1',
    'authorization: denied by policy',
    'Authorization header missing',
    'authorization mode Node,RBAC',
    'the authorization: user bob is not allowed to do this',
    'token expired 5 minutes ago',
    'invalid token: signature is invalid',
    'key not found: default/checkout',
    'secret "db-credentials" not found',
    'Error: secret "db-credentials" not found',
    'MountVolume.SetUp failed for volume "certs" : secret "tls-certs" not found',
    '- name: DB_HOST',
    '  value: db.shop',
    '  name: CONFIG_PATH',
    '- value: info\n  name: LOG_LEVEL',
    '{"name":"LOG_LEVEL","value":"info"}',
    '- --port\n- 8080',
    'Private-Lines are not read',
    'openssl enc -help',
    'echo hello | wc -c',
    'kubectl create secret generic s --from-file=key.pem',
    'kubectl create configmap c --from-file=x',
    'mysql -h db -P 3306 -u root',
    'mysql --port 3306',
    'etcdserver: request timed out',
    'trace_id=3f1c9a7e5b2d48806a4e1f0b9c7d25e8 span_id=6a4e1f0b9c7d25e8',
    'traceparent: 00-3f1c9a7e5b2d48806a4e1f0b9c7d25e8-6a4e1f0b9c7d25e8-01',
    'partition key 3f1c9a7e5b2d48806a4e1f0b9c7d25e8',
    'foreign key constraint fk_orders_customer_id fails',
    "Duplicate entry '3f1c9a7e5b2d48806a4e1f0b9c7d25e8' for key 'orders.uq_token'",
    'default\n  password policy applied',
    'node key is ready',
    'public key 3f1c9a7e5b2d48806a4e1f0b9c7d25e8',
    'credentials loaded from file:/etc/creds',
    'logged in with credentials system:masters',
    'serial number 3f1c9a7e5b2d48806a4e1f0b9c7d25e8',
    'certificate fingerprint 3F1C9A7E5B2D48806A4E1F0B9C7D25E8',
    'volume pvc-4b7d0c1e-93f2-4a58-8e6b-c0ffee12ab90 attached',
    'instance i-0abcdef1234567890 ip-10-0-1-2.ec2.internal',
    'aws-node-termination-handler-x7k2p',
    'projected volume kube-api-access-x2k9q',
    'ServiceAccount token-issuer created',
    'continue token expired',
    'lease holder checkout-6f7c9d8b5f-x2k9q_4b7d0c1e-93f2-4a58-8e6b-c0ffee12ab90',
    'sd-webui_StableDiffusionXL1024pipeline',
    'x-request-id: Root=1-67891233-abcdef012345678912345678',
    'x-amz-request-id: 79A59DF900B949E5',
    'x-amz-id-2: eftixk72aD6Ap51TnqcoF8eFidJG9Z',
    'req-Kq8vZ2x1Wm7yTn4bRc6d accepted',
    'password for database: see the wiki',
    'set password for bob',
    'changed password for user bob',
    'user changed password to comply with policy',
    'password reset link sent to bob@example.com',
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
