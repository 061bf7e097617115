import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bits, boolean, context, integer, objectId, octets, sequence, set, time, utf8 } from './der.ts';

export interface ServingCertificate {
  /** The authority's certificate, which clients trust. */
  readonly caPem: string;
  readonly certificatePem: string;
  readonly keyPem: string;
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Draft {
  readonly serial: number;
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyPair;
  readonly now: Date;
  readonly extensions: readonly Buffer[];
}

const YEAR_MILLISECONDS = 365 * 86_400_000;
const DAY_MILLISECONDS = 86_400_000;
const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));

/**
 * An authority of its own and a certificate for 127.0.0.1 and localhost signed by it, valid from a day before `now` for a year.
 * `now` is the wall clock's: TLS clients compare with theirs, whatever time the cluster plays.
 * Written out by hand: a certificate library holds 40 MB of memory for the two certificates made in a process's life.
 */
export async function makeServingCertificate(commonName: string, now: Date): Promise<ServingCertificate> {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = `${commonName} authority`;
  const signedByAuthority = { issuer, signer: authority, now };
  const ca = certificate({
    ...signedByAuthority,
    serial: 1,
    subject: issuer,
    publicKey: authority.publicKey,
    extensions: [
      extension(BASIC_CONSTRAINTS, sequence(boolean(true)), true),
      extension(KEY_USAGE, bits(Buffer.from([CERT_SIGN | CRL_SIGN]), 1), true),
      extension(SUBJECT_KEY_ID, octets(keyId(authority.publicKey))),
    ],
  });
  const serving = certificate({
    ...signedByAuthority,
    serial: 2,
    subject: commonName,
    publicKey: server.publicKey,
    extensions: [
      extension(BASIC_CONSTRAINTS, sequence(), true),
      extension(KEY_USAGE, bits(Buffer.from([DIGITAL_SIGNATURE]), 7), true),
      extension(EXTENDED_KEY_USAGE, sequence(objectId('1.3.6.1.5.5.7.3.1'))),
      extension(SUBJECT_ALTERNATIVE_NAME, sequence(ipName([127, 0, 0, 1]), dnsName('localhost'))),
      extension(AUTHORITY_KEY_ID, sequence(context(0, keyId(authority.publicKey), false))),
    ],
  });
  return {
    caPem: pem(ca),
    certificatePem: pem(serving),
    keyPem: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const SUBJECT_KEY_ID = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_ID = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';

const DIGITAL_SIGNATURE = 0x80;
const CERT_SIGN = 0x04;
const CRL_SIGN = 0x02;
const VERSION_3 = context(0, integer(2), true);

function certificate(draft: Draft): Buffer {
  const content = sequence(
    VERSION_3,
    integer(draft.serial),
    ECDSA_WITH_SHA256,
    name(draft.issuer),
    sequence(
      time(new Date(draft.now.getTime() - DAY_MILLISECONDS)),
      time(new Date(draft.now.getTime() + YEAR_MILLISECONDS)),
    ),
    name(draft.subject),
    publicKeyInfo(draft.publicKey),
    context(3, sequence(...draft.extensions), true),
  );
  return sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, draft.signer.privateKey)));
}

function name(commonName: string): Buffer {
  return sequence(set(sequence(objectId('2.5.4.3'), utf8(commonName))));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function ipName(bytes: readonly number[]): Buffer {
  return context(7, Buffer.from(bytes), false);
}

function dnsName(text: string): Buffer {
  return context(2, Buffer.from(text, 'ascii'), false);
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** Any stable name of the key will do, as long as both certificates use the same. */
function keyId(key: KeyObject): Buffer {
  return createHash('sha256').update(publicKeyInfo(key)).digest().subarray(0, 20);
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
