import { createHash, timingSafeEqual } from 'node:crypto';

/** What is stored of a secret: whoever reads the database cannot sign in with it. */
export function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** Compares in a time that does not depend on where the two differ, nor on their lengths. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

/** The token a session must send with its writes. Made from the session's secret, so it need not be kept and dies with it. */
export function csrfTokenOf(sessionToken: string): string {
  return createHash('sha256').update(`csrf:${sessionToken}`).digest('base64url');
}
