import { badRequest } from './status.ts';

/**
 * kubectl asks its own questions in protobuf, whatever else it may send. Only the messages of those questions are known here;
 * all else is refused as an unknown media type. Answers are JSON, which every client accepts.
 */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

interface Field {
  readonly name: string;
  readonly shape: 'text' | 'texts' | 'number' | Message;
}
type Message = Readonly<Record<number, Field>>;

const text = (name: string): Field => ({ name, shape: 'text' });
const METADATA: Field = { name: 'metadata', shape: { 1: text('name'), 2: text('generateName'), 3: text('namespace') } };
const PRECONDITIONS: Message = { 1: text('uid'), 2: text('resourceVersion') };
const DELETE_OPTIONS: Message = {
  1: { name: 'gracePeriodSeconds', shape: 'number' },
  2: { name: 'preconditions', shape: PRECONDITIONS },
  4: text('propagationPolicy'),
  5: { name: 'dryRun', shape: 'texts' },
};
const ATTRIBUTES = ['', 'namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'];
const RESOURCE_ATTRIBUTES: Message = Object.fromEntries(
  ATTRIBUTES.map((name, number) => [number, text(name)]).slice(1),
);

const MESSAGES: Readonly<Record<string, Message>> = {
  SelfSubjectAccessReview: {
    1: METADATA,
    2: {
      name: 'spec',
      shape: {
        1: { name: 'resourceAttributes', shape: RESOURCE_ATTRIBUTES },
        2: { name: 'nonResourceAttributes', shape: { 1: text('path'), 2: text('verb') } },
      },
    },
  },
  SelfSubjectRulesReview: { 1: METADATA, 2: { name: 'spec', shape: { 1: text('namespace') } } },
  SelfSubjectReview: { 1: METADATA },
  TokenRequest: {
    1: METADATA,
    2: {
      name: 'spec',
      shape: { 1: { name: 'audiences', shape: 'texts' }, 4: { name: 'expirationSeconds', shape: 'number' } },
    },
  },
  Eviction: { 1: METADATA, 2: { name: 'deleteOptions', shape: DELETE_OPTIONS } },
  DeleteOptions: DELETE_OPTIONS,
  Namespace: { 1: METADATA },
  ServiceAccount: { 1: METADATA },
};

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const TYPE_META: Message = { 1: text('apiVersion'), 2: text('kind') };

/** The JSON form of a message, or undefined for a kind that is not known. Throws BadRequest for bytes that are no message. */
export function decodeProtobuf(bytes: Buffer): Record<string, unknown> | undefined {
  if (!bytes.subarray(0, 4).equals(MAGIC))
    throw badRequest('the object provided is unrecognized: expected the protobuf envelope of Kubernetes');
  const envelope = [...fieldsOf(bytes.subarray(4))];
  const typeMeta = envelope.find(({ number }) => number === 1);
  const raw = envelope.find(({ number }) => number === 2);
  const type = typeMeta ? decode(typeMeta.bytes, TYPE_META) : {};
  const message = MESSAGES[String(type.kind)];
  return message ? { ...type, ...decode(raw?.bytes ?? Buffer.alloc(0), message) } : undefined;
}

function decode(bytes: Buffer, message: Message): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  for (const part of fieldsOf(bytes)) {
    const field = message[part.number];
    if (!field) continue;
    if (field.shape === 'number') decoded[field.name] = part.value;
    else if (field.shape === 'text') decoded[field.name] = part.bytes.toString('utf8');
    else if (field.shape === 'texts')
      decoded[field.name] = [...((decoded[field.name] as string[]) ?? []), part.bytes.toString('utf8')];
    else decoded[field.name] = decode(part.bytes, field.shape);
  }
  return decoded;
}

interface Part {
  readonly number: number;
  readonly value: number;
  readonly bytes: Buffer;
}

const NO_BYTES = Buffer.alloc(0);

function* fieldsOf(bytes: Buffer): Generator<Part> {
  let at = 0;

  function varint(): number {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined)
        throw badRequest('the object provided is unrecognized: unexpected end of the protobuf message');
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw badRequest('the object provided is unrecognized: a number in the protobuf message is too long');
  }

  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { number, value: varint(), bytes: NO_BYTES };
        break;
      case 2: {
        const length = varint();
        if (at + length > bytes.length)
          throw badRequest('the object provided is unrecognized: unexpected end of the protobuf message');
        yield { number, value: length, bytes: bytes.subarray(at, at + length) };
        at += length;
        break;
      }
      case 1:
        at += 8;
        break;
      case 5:
        at += 4;
        break;
      default:
        throw badRequest('the object provided is unrecognized: unknown wire type in the protobuf message');
    }
  }
}
