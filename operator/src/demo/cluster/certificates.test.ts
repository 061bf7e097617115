import assert from 'node:assert/strict';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { makeServingCertificate } from './certificates.ts';

it('is trusted on 127.0.0.1 by who knows the authority, and by nobody else', async () => {
  const made = await makeServingCertificate('test', new Date());
  const server = createServer({ cert: made.certificatePem, key: made.keyPem }, (_request, response) =>
    response.end('hello'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const ask = (ca?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get(url, { agent: false, ...(ca ? { ca } : {}) }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      );
    });
  try {
    assert.equal(await ask(made.caPem), 200);
    await assert.rejects(ask(), /self-signed|unable to (get|verify)/);
  } finally {
    server.close();
  }
});
