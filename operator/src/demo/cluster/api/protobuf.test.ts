import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeProtobuf } from './protobuf.ts';

function field(number: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
}

const number = (at: number, value: number) => Buffer.from([at * 8, 0x80 | (value & 0x7f), value >> 7]);

function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, apiVersion), field(2, kind)), field(2, raw)]);
}

describe('questions in protobuf', () => {
  it('are read as their JSON form', () => {
    const raw = Buffer.concat([field(1, ''), field(2, field(1, field(1, 'shop'), field(2, 'list'), field(5, 'pods')))]);
    assert.deepEqual(decodeProtobuf(envelope('authorization.k8s.io/v1', 'SelfSubjectAccessReview', raw)), {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes: { namespace: 'shop', verb: 'list', resource: 'pods' } },
    });
  });

  it('carry numbers and repeated texts', () => {
    const raw = field(2, field(1, 'one'), field(1, 'two'), number(4, 900));
    const { spec } = decodeProtobuf(envelope('authentication.k8s.io/v1', 'TokenRequest', raw)) as { spec: unknown };
    assert.deepEqual(spec, { audiences: ['one', 'two'], expirationSeconds: 900 });
  });

  it('are none of ours for any other kind', () => {
    assert.equal(decodeProtobuf(envelope('v1', 'Pod', Buffer.alloc(0))), undefined);
  });

  it('are refused when they are cut off', () => {
    const whole = envelope('authorization.k8s.io/v1', 'SelfSubjectAccessReview', field(2, field(1, field(1, 'shop'))));
    assert.throws(() => decodeProtobuf(whole.subarray(0, -2)), /unexpected end/);
    assert.throws(() => decodeProtobuf(Buffer.from('{}')), /expected the protobuf envelope/);
  });
});
