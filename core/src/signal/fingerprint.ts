import type { OwnerRef } from './observation.ts';

/** SHA-256 of the text's UTF-8 bytes, lower-case hex. Passed in, since pure code has no cryptography of its own. */
export type Sha256Hex = (text: string) => string;

/** What makes two signals the same fault at the same place, as one source sees it. */
export interface FingerprintParts {
  readonly source: string;
  readonly kind: string;
  readonly cluster: string;
  readonly namespace: string | undefined;
  readonly owner: OwnerRef | undefined;
  readonly reason: string;
}

/**
 * The text that is hashed: a JSON array, so that no value can move a field's border. A separator would let `a|bc` and `ab|c` meet,
 * and alert names may contain any character. An absent part is null, which no text equals.
 */
export function fingerprintText(parts: FingerprintParts): string {
  return JSON.stringify([
    parts.source,
    parts.kind,
    parts.cluster,
    parts.namespace ?? null,
    parts.owner?.kind ?? null,
    parts.owner?.name ?? null,
    parts.reason,
  ]);
}

/** 64 hex characters. Keyed on the owner: pods come and go, and fifty crashing pods of one Deployment are one fault. */
export function fingerprintOf(parts: FingerprintParts, sha256: Sha256Hex): string {
  return sha256(fingerprintText(parts));
}

/** Fingerprint of an incident about incidents, which no signal can have. */
export function metaFingerprint(topic: 'storm' | 'flap', subject: string, sha256: Sha256Hex): string {
  return sha256(JSON.stringify(['meta', topic, subject]));
}
