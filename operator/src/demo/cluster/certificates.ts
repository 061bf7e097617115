import './reflect-metadata.ts';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface ServingCertificate {
  /** The authority's certificate, which clients trust. */
  readonly caPem: string;
  readonly certificatePem: string;
  readonly keyPem: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const YEAR_MILLISECONDS = 365 * 86_400_000;
const DAY_MILLISECONDS = 86_400_000;

/**
 * An authority of its own and a certificate for 127.0.0.1 and localhost signed by it, valid from a day before `now` for a year.
 * `now` is the wall clock's: TLS clients compare with theirs, whatever time the cluster plays.
 */
export async function makeServingCertificate(commonName: string, now: Date): Promise<ServingCertificate> {
  x509.cryptoProvider.set(webcrypto);
  const [authorityKeys, serverKeys] = await Promise.all([
    webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']),
    webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']),
  ]);
  const validity = {
    notBefore: new Date(now.getTime() - DAY_MILLISECONDS),
    notAfter: new Date(now.getTime() + YEAR_MILLISECONDS),
    signingAlgorithm: ALGORITHM,
  };
  const authorityName = `CN=${commonName} authority`;
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: '01',
    name: authorityName,
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: '02',
    subject: `CN=${commonName}`,
    issuer: authorityName,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authority, false),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
  return {
    caPem: authority.toString('pem'),
    certificatePem: certificate.toString('pem'),
    keyPem: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  };
}
