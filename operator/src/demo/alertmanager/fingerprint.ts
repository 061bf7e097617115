import type { Labels } from './alert.ts';

const OFFSET = 14695981039346656037n;
const PRIME = 1099511628211n;
const SEPARATOR = 255;

function add(hash: bigint, bytes: Iterable<number>): bigint {
  let next = hash;
  for (const byte of bytes) next = BigInt.asUintN(64, (next ^ BigInt(byte)) * PRIME);
  return next;
}

/** The 16 hex digits by which Alertmanager knows a label set: FNV-1a over its sorted names and values, each ended by byte 255. */
export function fingerprint(labels: Labels): string {
  const encoder = new TextEncoder();
  let hash = OFFSET;
  for (const name of Object.keys(labels).sort()) {
    hash = add(add(hash, encoder.encode(name)), [SEPARATOR]);
    hash = add(add(hash, encoder.encode(labels[name] ?? '')), [SEPARATOR]);
  }
  return hash.toString(16).padStart(16, '0');
}
