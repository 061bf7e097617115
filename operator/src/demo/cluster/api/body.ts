import type { IncomingMessage } from 'node:http';
import { PATCH_TYPES } from './patch-types.ts';
import { decodeProtobuf, PROTOBUF } from './protobuf.ts';
import { ApiError, badRequest, unsupportedMediaType } from './status.ts';

const MOST_BYTES = 3 * 2 ** 20;

/** The decoded body, or undefined for none. Throws 400, 413, 415. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES)
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MOST_BYTES}`);
    chunks.push(chunk as Buffer);
  }
  if (size === 0) return undefined;
  const bytes = Buffer.concat(chunks);
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim();
  if (type === PROTOBUF) return known(decodeProtobuf(bytes));
  // A patch names its own type, which its handler looks at more closely.
  if (request.method === 'PATCH' && !type?.includes('json') && !type?.includes('yaml'))
    throw unsupportedMediaType(PATCH_TYPES);
  if (request.method !== 'PATCH' && type !== 'application/json') throw unsupportedMediaType(['application/json']);
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(
      `the object provided is unrecognized: couldn't parse JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function known(message: unknown): unknown {
  if (message !== undefined) return message;
  throw unsupportedMediaType(
    ['application/json'],
    'the simulated cluster reads this kind in JSON only: with kubectl, add `--dry-run=client -o yaml | kubectl apply -f -`',
  );
}
