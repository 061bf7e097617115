import { assertNever } from '@hephaisto/core/assert-never';
import type { StoreError } from '../store.ts';
import { typeKey } from '../type-key.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

interface Named {
  readonly group: string;
  readonly resource: string;
}

/** A refusal in the words of the Kubernetes API: becomes a `Status` object with the HTTP code. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }
}

export function statusObject(error: ApiError): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: error.continueToken === undefined ? {} : { continue: error.continueToken },
    status: 'Failure',
    message: error.message,
    ...(error.reason ? { reason: error.reason } : {}),
    ...(error.details ? { details: error.details } : {}),
    code: error.code,
  };
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function notFound(type: Named, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${typeKey(type)} "${name}" not found`, details(type, name));
}

export function conflict(type: Named, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${typeKey(type)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, details(type, name));
}

export function notImplemented(what: string): ApiError {
  return new ApiError(501, 'NotImplemented', `the simulated cluster does not implement ${what}`);
}

export function unsupportedMediaType(accepted: readonly string[], instead?: string): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError(415, 'UnsupportedMediaType', instead === undefined ? message : `${message}; ${instead}`);
}

/** `continueToken`: by which the rest of a list may be had all the same. */
export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError(410, 'Expired', message, undefined, continueToken);
}

export function tooLargeRevision(wanted: number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** The store's refusals under the names the API gives them. */
export function fromStoreError(error: StoreError, type: Named, name: string): ApiError {
  switch (error.reason) {
    case 'NotFound':
      return notFound(type, name);
    case 'AlreadyExists':
      return new ApiError(
        409,
        'AlreadyExists',
        name ? `${typeKey(type)} "${name}" already exists` : error.message,
        details(type, name),
      );
    case 'Conflict':
      return new ApiError(409, 'Conflict', error.message, details(type, name));
    case 'Invalid':
      return new ApiError(422, 'Invalid', error.message, details(type, name));
    case 'Expired':
      return expired(error.message);
    default:
      return assertNever(error.reason);
  }
}

export function details(type: Named, name: string): StatusDetails {
  return { ...(name ? { name } : {}), ...(type.group ? { group: type.group } : {}), kind: type.resource };
}
